const island = '^src/(protocol|model|tools|hooks|facts)/';

/** The rules of the layout; see docs/architecture.md. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'machines-are-pure',
      comment: 'machines/ imports only xstate and itself.',
      severity: 'error',
      from: { path: '^machines/' },
      to: { pathNot: ['^machines/', '(^|/)node_modules/xstate/'] },
    },
    {
      name: 'words-know-no-rooms',
      comment: 'machines/vocabulary is below permission, and both are below the chart.',
      severity: 'error',
      from: { path: '^machines/vocabulary/' },
      to: { pathNot: '^machines/vocabulary/' },
    },
    {
      name: 'permission-knows-no-chart',
      severity: 'error',
      from: { path: '^machines/permission/' },
      to: { pathNot: '^machines/(permission|vocabulary)/' },
    },
    {
      name: 'protocol-knows-no-platform',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { dependencyTypes: ['core', 'npm'] },
    },
    {
      name: 'islands-do-not-meet',
      comment: 'Only src/run joins protocol, model, tools, hooks and facts.',
      severity: 'error',
      from: { path: island },
      to: { path: '^src/', pathNot: '^src/($1|support)/' },
    },
    {
      name: 'support-knows-nobody',
      comment:
        'What every room may import imports nothing, not even of Node: the page uses it too.',
      severity: 'error',
      from: { path: '^src/support/' },
      to: { pathNot: '^src/support/' },
    },
    {
      name: 'run-is-below-its-users',
      severity: 'error',
      from: { path: '^src/run/' },
      to: { path: '^src/(cli|inspector|testing|integrations)/' },
    },
    {
      name: 'inspector-looks-through-run',
      comment:
        'What it shows comes from a store; pictures are read as the picture tool reads them.',
      severity: 'error',
      from: { path: '^src/inspector/', pathNot: '^src/inspector/server/pictures\\.ts$' },
      to: { path: '^src/(protocol|model|tools|hooks|facts|cli)/' },
    },
    {
      name: 'inspector-draws-coverage',
      comment: 'Of src/testing it knows what a coverage is, as a type.',
      severity: 'error',
      from: { path: '^src/inspector/' },
      to: { path: '^src/testing/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'page-knows-the-server-by-its-types',
      severity: 'error',
      from: { path: '^src/inspector/page/' },
      to: { path: '^src/', pathNot: '^src/(inspector/page/|inspector/api\\.types\\.ts$|support/)' },
    },
    {
      name: 'testing-needs-no-islands',
      comment: 'The exploration and the strict model work on the machine and shared types alone.',
      severity: 'error',
      from: { path: '^src/testing/' },
      to: { path: '^src/(tools|hooks|facts|protocol|run|cli|inspector)/' }, // src/model's types it needs
    },
    {
      name: 'integrations-make-tools',
      comment: 'What comes from elsewhere becomes a tool, and is one for everybody else.',
      severity: 'error',
      from: { path: '^src/integrations/' },
      to: {
        path: '^(src|machines)/',
        pathNot: '^(src/(integrations|tools|support)|machines/vocabulary)/',
      },
    },
    {
      name: 'integrations-are-optional',
      severity: 'error',
      from: { pathNot: '^src/integrations/' },
      to: { path: ['^src/integrations/', '(^|/)node_modules/@modelcontextprotocol/'] },
    },
    {
      name: 'offline-model-is-handed-data',
      comment: 'What happened comes in the request; of src/model it knows what a model is.',
      severity: 'error',
      from: { path: '^src/offline/' },
      to: {
        path: '.',
        pathNot: [
          '^src/offline/',
          '^machines/vocabulary/',
          '^src/support/',
          '^src/model/(model\\.types|measure-request)\\.ts$',
        ],
      },
    },
    {
      name: 'offline-model-is-optional',
      comment: 'The command line loads it; whoever wants it otherwise imports agenthub/offline.',
      severity: 'error',
      from: { path: '^(machines|src)/', pathNot: '^src/(offline|cli)/' },
      to: { path: '^src/offline/' },
    },
    {
      name: 'only-cli-touches-the-process',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^(node:)?(process|readline|readline/promises|tty)$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node'] },
  },
};

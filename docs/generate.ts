import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type GraphState, toGraph, toMermaid, toOverview } from '../machines/agent/agent.graph.ts';
import { agentMachine } from '../machines/agent/agent.machine.ts';
import type { Locale } from '../machines/vocabulary/json.ts';
import { layoutChart, layoutHash } from './chart-layout.ts';
import { configJsonSchema, configurationTable } from './configuration-table.ts';
import { defaultsTable } from './defaults.ts';
import { filled } from './filled.ts';
import { hookEffectsTable } from './hook-effects.ts';
import { policiesTable } from './policies-table.ts';
import { referenceTables } from './reference-tables.ts';

/**
 * Writes what is generated from the code: `npm run generate`. With `--check` it writes nothing and
 * exits with 1 when a file is not fresh.
 */
const graph = toGraph(agentMachine);
const mermaid = `\`\`\`mermaid\n${toMermaid(graph)}\`\`\``;
const overview = `\`\`\`mermaid\n${toMermaid(toOverview(graph))}\`\`\``;

function stateLine({ id, description, invokes, parent }: GraphState): string {
  const actors = invokes.length > 0 ? `Invokes \`${invokes.join('`, `')}\`.` : '';
  const words = [description, actors].filter(Boolean).join(' ');
  const name = parent === null ? `- **\`${id}\`**` : `  - \`${id.split('.').at(-1)}\``;
  return words === '' ? name : `${name}: ${words}`;
}

const machineReadme = `# The agent machine

Generated from \`agent.machine.ts\` by \`npm run generate\`; do not edit.

${mermaid}

${graph.states.map(stateLine).join('\n')}

\`run.cancel\` leads to \`cancelled\` from every state. Tools run as actors \`tool.<callId>\`, one per
allowed call, spawned by \`execute\`.

## When a hook does not let a run pass

Worked out on the machine, with one call that policies allow and a turn left after it.

${hookEffectsTable()}
`;

/**
 * An example as a block of code: the whole of it, or the part between `// #region` and
 * `// #endregion` with the imports it uses, so that it can be pasted.
 */
function example(name: string, language: 'ts' | 'mjs' = 'ts'): string {
  const code = readFileSync(`docs/examples/${name}.${language}`, 'utf8');
  const region = /\/\/ #region\n([^]*?)\/\/ #endregion/u.exec(code)?.[1]?.trim();
  const shown = region === undefined ? code.trim() : `${importsFor(region, code)}\n\n${region}`;
  return `\`\`\`${language === 'ts' ? 'ts' : 'js'}\n${shown}\n\`\`\``;
}

/** An example that is no TypeScript, as a block. */
function exampleFile(name: string, language: string): string {
  return `\`\`\`${language}\n${readFileSync(`docs/examples/${name}`, 'utf8').trim()}\n\`\`\``;
}

/** The imports of a file, reduced to the names that a part of it uses. */
function importsFor(part: string, code: string): string {
  const lines = [...code.matchAll(/^import \{([^}]*)\} from '([^']+)';$/gmu)].map(
    ([, names = '', from = '']) => {
      const used = names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => new RegExp(`\\b${name.replace('type ', '')}\\b`, 'u').test(part));
      return used.length === 0 ? '' : `import { ${used.join(', ')} } from '${from}';`;
    },
  );
  return lines.filter(Boolean).join('\n');
}

const readme = (path: string, locale: Locale) =>
  filled(path, {
    chart: overview,
    example: example('embed'),
    glm: example('glm'),
    hooks: example('hooks'),
    permissions: example('permissions'),
    defaults: defaultsTable(locale),
  });

const CHART = 'src/inspector/chart.layout.json';

/** The chart's layout; computed only when it would come out otherwise. */
async function chartLayout(): Promise<string> {
  const known = existsSync(CHART) ? readFileSync(CHART, 'utf8') : '{}';
  if ((JSON.parse(known) as { hash?: string }).hash === layoutHash(graph)) return known;
  return `${JSON.stringify(await layoutChart(graph))}\n`;
}

const files: Record<string, string> = {
  'machines/agent/README.md': machineReadme,
  'agenthub.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  'README.md': readme('README.md', 'en'),
  'README.zh-CN.md': readme('README.zh-CN.md', 'zh'),
  [CHART]: await chartLayout(),
  'docs/inspector.md': filled('docs/inspector.md', { inspector: example('inspector') }),
  'docs/guide.md': filled('docs/guide.md', {
    store: example('store'),
    machine: example('machine'),
    extension: example('extension', 'mjs'),
    mcp: example('mcp'),
    'machine-questions': example('machine-questions'),
    'machine-stored': example('machine-stored'),
    policies: example('policies'),
    'default-policies': policiesTable(),
  }),
  'docs/testing.md': filled('docs/testing.md', {
    refund: example('refund'),
    'testing-agent': example('testing-agent'),
    'testing-model': example('testing-model'),
    'testing-policy': example('testing-policy'),
    'testing-hooks': example('testing-hooks'),
    'refund-verification': example('refund.verification'),
    'facts-verification': example('facts.verification'),
    'testing-verification': example('testing-verification'),
  }),
  'docs/verification.md': filled('docs/verification.md', {
    'refund-verification': example('refund.verification'),
    'pictures-verification': exampleFile('pictures.verification.mjs', 'js'),
  }),
  'docs/reference.md': filled('docs/reference.md', referenceTables()),
  'docs/configuration.md': filled('docs/configuration.md', {
    configuration: configurationTable(),
    'configuration-file': exampleFile('agenthub.config.json', 'json'),
  }),
};

const isCheck = process.argv.includes('--check');
for (const [path, content] of Object.entries(files)) {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  if (isCheck) {
    console.error(`${path} is not fresh: run npm run generate`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, content);
    console.log(`wrote ${path}`);
  }
}

import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildAgentToShow } from '../../src/cli/build-agent.ts';
import { loadSettings } from '../../src/cli/config.ts';
import { settingsFlags } from '../../src/cli/flags.ts';
import { loadModule } from '../../src/cli/load-module.ts';
import { cli } from '../../src/cli/program.ts';
import { chunk, stream, testEndpoint } from '../model/endpoint.ts';
import { callNote, noteTool } from '../run/support.ts';
import { fakeIo } from './fake-io.ts';
import { MAIN, startNode } from './node-process.ts';
import { agenthub, approval, asJson, asks, storeRun, zh } from './stored.ts';
import { temporaryFolder } from './temporary.ts';

/** Later versions of Node strip types. */
const canLoadTypeScript = 'typescript' in process.features && Boolean(process.features.typescript);

/** What an extension begins with; packages are found from where it is, and here that is nowhere. */
const IMPORTS = `
  import { defineHook } from '${resolve('dist/src/hooks/index.js')}';
  import { defineTool } from '${resolve('dist/src/tools/define-tool.js')}';
  import { z } from '${resolve('node_modules/zod/index.js')}';
  const tool = (name) => defineTool({
    name,
    description: { zh: '记一笔', en: 'Takes a note' },
    input: z.strictObject({ text: z.string() }),
    execute: async ({ text }) => 'noted ' + text,
  });
  const hook = (name) => defineHook({ name, event: 'Stop', run: () => ({ decision: 'allow' }) });
`;

const NOTE = `${IMPORTS}
  export const tools = [tool('note')];
  export const policies = { note: 'ask' };
`;

/** A folder with an extension `own.mjs`, and other files. */
const folderWith = (source: string, files: Readonly<Record<string, string | object>> = {}) =>
  temporaryFolder({ 'own.mjs': source, ...files });

const OWN = ['--extension', 'own.mjs'];
const NAMED = ['--config', 'agenthub.config.json'];

describe('what is wrong with an extension is told before anything happens', () => {
  const named =
    'An extension has named exports: tools (an array), hooks (an array), policies (by tool name), at least one of them; shipped = false leaves out the shipped tools and hooks.';

  it.each([
    ['nothing', '', ` exports no tools, hooks or policies (it exports: -). ${named}`],
    [
      'only a default export',
      'export default { tools: [] };',
      ` exports no tools, hooks or policies (it exports: default). ${named}`,
    ],
    [
      'a hook that would be missing',
      'export const tools = []; export const hook = [];',
      ` exports hook and no hooks: is it misspelled? ${named}`,
    ],
    [
      'a policy',
      'export const tools = []; export const policy = {};',
      ` exports policy and no policies: is it misspelled? ${named}`,
    ],
    [
      'tools that are no array',
      'export const tools = {};',
      ': tools is { … }; it must be an array of what defineTool({ … }) gives.',
    ],
    [
      'no tool at all',
      'export const tools = [null];',
      ': tools[0] is wrong: null; wanted is what defineTool({ … }) gives.',
    ],
    [
      'a tool that lacks its gate',
      `${IMPORTS} const { inspectFacts: _, ...rest } = tool('note');
       export const tools = [tool('a'), rest];`,
      ': tools[1] is wrong: Tool "note": inspectFacts must be a function.; wanted is what defineTool({ … }) gives.',
    ],
    [
      'no hook',
      'export const hooks = [() => ({})];',
      ': hooks[0] is wrong: () => ({}); wanted is what defineHook({ … }) gives.',
    ],
    [
      'a hook for no event',
      `${IMPORTS} export const hooks = [{ ...hook('a'), event: 'Start' }];`,
      ': hooks[0] is wrong: Hook "a" is not valid: event: ',
    ],
    [
      'a name twice',
      `${IMPORTS} export const tools = [tool('a'), tool('b'), tool('a')];`,
      ': tools[2] and tools[0] are both named "a"; a name is used once.',
    ],
    [
      'the name of a shipped tool',
      `${IMPORTS} export const tools = [tool('note'), tool('echo')];`,
      ': tools[1] is named "echo", as a shipped one is. Give it another name, or leave out the shipped tools and hooks: export const shipped = false.',
    ],
    [
      'the name of a shipped hook',
      `${IMPORTS} export const hooks = [hook('todo-reminder')];`,
      ': hooks[0] is named "todo-reminder", as a shipped one is.',
    ],
    [
      'policies that are wrong',
      'export const policies = { echo: "perhaps", todo_write: { rules: [{}] } };',
      `:
policies.echo: "perhaps" is not allowed; allowed: "allow" | "ask" | "deny" | { rules }
policies.todo_write.rules.0.when: is missing; allowed: [ `,
    ],
    [
      'a policy for a tool that nobody has',
      'export const policies = { ecko: "ask" };',
      ': policies names tools that are not there: ecko. There are: echo, knowledge_search, image_scaling, todo_write.',
    ],
    [
      'shipped that is neither',
      'export const tools = []; export const shipped = "no";',
      ': shipped is no; allowed: true (the default) | false (without the shipped tools and hooks).',
    ],
  ])('%s', async (_, source, words) => {
    const cwd = await folderWith(source);
    const { exitCode, out, err } = await agenthub(cwd, ['tools', ...OWN]);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toContain(`agenthub: --extension: ${cwd}/own.mjs${words}`);
    const chinese = await agenthub(cwd, ['tools', ...OWN], zh);
    expect([chinese.exitCode, chinese.err]).toEqual([
      2,
      expect.stringMatching(/^agenthub: --extension：.*\p{Script=Han}/su),
    ]);
  });

  it('a file that is not there', async () => {
    const cwd = await temporaryFolder();
    const err = `agenthub: --extension: there is no file ${cwd}/own.mjs.\n`;
    for (const command of [
      ['run', 'hello'],
      ['tools'],
      ['config'],
      ['verify'],
      ['chat'],
      ['inspect'],
    ])
      expect(await agenthub(cwd, [...command, ...OWN])).toEqual({ exitCode: 2, out: '', err });
    const chinese = await agenthub(cwd, ['tools', ...OWN], zh);
    expect(chinese.err).toBe(`agenthub: --extension：没有文件 ${cwd}/own.mjs。\n`);
  });

  it.each([
    ['throws', 'const a = 1;\n  throw new TypeError("boom");', 'TypeError: boom', ':2:9'],
    ['is no JavaScript', 'const = 1;', "SyntaxError: Unexpected token '='", ':1'],
    ['throws what is no error', 'throw { a: 1 };', '{ a: 1 }', null],
  ])('one that %s: what was thrown, and where', async (_, source, why, place) => {
    const cwd = await folderWith(source);
    const { code, err } = await startNode([MAIN, 'tools', ...OWN], { cwd }).ended;
    const where = place === null ? '' : ` (${cwd}/own.mjs${place})`;
    expect([code, err]).toEqual([
      2,
      `agenthub: --extension: ${cwd}/own.mjs cannot be loaded: ${why}${where}\n`,
    ]);
  });

  it.skipIf(canLoadTypeScript)('TypeScript, which this Node does not load by itself', async () => {
    const cwd = await temporaryFolder({ 'own.ts': 'export const tools = [];' });
    const args = [MAIN, 'tools', '--extension', 'own.ts'];
    const { code, err } = await startNode(args, { cwd }).ended;
    expect([code, err]).toEqual([
      2,
      `agenthub: --extension: Node ${process.version} cannot load ${cwd}/own.ts: it must be JavaScript that Node can load itself (.mjs or .js). Compile it first, or give Node a loader, such as NODE_OPTIONS="--import tsx".\n`,
    ]);
  });

  it('one that never finishes loading', async () => {
    const cwd = await folderWith('await new Promise(() => {});');
    const loading = loadModule(join(cwd, 'own.mjs'), { flag: '--extension', patience: 1 });
    await expect(loading).rejects.toMatchObject({
      code: 'usage',
      message: `--extension: ${cwd}/own.mjs has not finished loading after 1 s: a top-level await waits for what does not come.`,
    });
  });
});

describe('only the person at the command line names an extension', () => {
  const LOUD = 'console.log("code of this folder"); export const tools = [];';

  it('a configuration cannot: its code does not run, in whatever command', async () => {
    const cwd = await folderWith(LOUD, { 'agenthub.config.json': { extension: './own.mjs' } });
    for (const command of [['tools'], ['runs'], ['config']]) {
      const { code, out, err } = await startNode([MAIN, ...command], { cwd }).ended;
      expect([code, out]).toEqual([2, '']);
      expect(err).toBe(
        `agenthub: ${cwd}/agenthub.config.json: extension: an extension cannot be named in a configuration: going into a folder and running agenthub would run its code. Use --extension <file>, or the environment variable AGENTHUB_EXTENSION\n`,
      );
    }
    expect((await agenthub(cwd, ['tools'], zh)).err).toContain('扩展不能写在配置文件里');
  });

  it('a relative path in the environment would be the same', async () => {
    const cwd = await folderWith(LOUD);
    const env = { AGENTHUB_EXTENSION: 'own.mjs' };
    const { code, out, err } = await startNode([MAIN, 'tools'], { cwd, env }).ended;
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('AGENTHUB_EXTENSION: "own.mjs" is no absolute path');
  });

  it('an absolute one counts, and the flag goes before it; config shows which and what it brings', async () => {
    const cwd = await folderWith(NOTE, { 'other.mjs': 'export const hooks = [];' });
    const env = { AGENTHUB_EXTENSION: join(cwd, 'other.mjs') };
    const shown = async (...args: string[]) =>
      (await agenthub(cwd, ['config', ...args], { env })).out
        .split('\n')
        .filter((line) => /^(extension|permissions\.policies\.note)/u.test(line));
    expect(await shown()).toContain(
      `extension = "${cwd}/other.mjs"  (environment AGENTHUB_EXTENSION)`,
    );
    expect(await shown(...OWN)).toEqual([
      `extension = "${cwd}/own.mjs"  (flag --extension)`,
      `extension.hooks = []  (file ${cwd}/own.mjs)`,
      `extension.shipped = true  (file ${cwd}/own.mjs)`,
      `extension.tools = ["note"]  (file ${cwd}/own.mjs)`,
      `permissions.policies.note = "ask"  (file ${cwd}/own.mjs)`,
    ]);
  });

  it('commands that make no agent do not run its code', async () => {
    const cwd = await folderWith('throw new Error("loaded");');
    await agenthub(cwd, ['run', 'hello']);
    const env = { AGENTHUB_EXTENSION: join(cwd, 'own.mjs') };
    expect((await agenthub(cwd, ['runs'], { env })).exitCode).toBe(0);
  });
});

describe('what an agent is made of', () => {
  /** The agent of a folder, as the command line would make it. */
  async function agentOf(source: string, config: object = {}) {
    const cwd = await folderWith(source, { 'agenthub.config.json': config });
    const flags = settingsFlags({ extension: 'own.mjs' });
    const file = 'agenthub.config.json';
    const agent = await buildAgentToShow(loadSettings({ cwd, env: {}, flags, file }), { cwd });
    const { hooks, policies } = agent.input('task');
    return {
      tools: agent.tools.map(({ name }) => name),
      hooks: hooks.map(({ name }) => name),
      policies,
    };
  }
  const SHIPPED = ['echo', 'knowledge_search', 'image_scaling', 'todo_write'];

  it('shipped tools and hooks first, then its own', async () => {
    const { tools, hooks } = await agentOf(
      `${NOTE} export const hooks = [hook('first'), hook('second')];`,
    );
    expect(tools).toEqual([...SHIPPED, 'note']);
    expect(hooks).toEqual(['todo-reminder', 'unfinished-todos', 'first', 'second']);
  });

  it('policies: shipped, then its own, then the configuration’s', async () => {
    const source = `${IMPORTS} export const tools = [tool('note'), tool('other')];
      export const policies = { note: 'ask', other: 'deny', echo: 'deny' };`;
    const { policies } = await agentOf(source, { permissions: { policies: { note: 'allow' } } });
    expect(policies).toMatchObject({ note: 'allow', other: 'deny', echo: 'deny' });
    expect(policies.todo_write).toBeDefined();
  });

  it('shipped = false: its own and nothing else, but for hooks that somebody asked for', async () => {
    const source = `${NOTE} export const hooks = [hook('first')]; export const shipped = false;`;
    expect(await agentOf(source)).toMatchObject({ tools: ['note'], hooks: ['first'] });
    const { hooks } = await agentOf(source, { hooks: { todoReminder: true } });
    expect(hooks).toEqual(['todo-reminder', 'first']);
  });

  it('shipped = false: a shipped name is free', async () => {
    const source = `${IMPORTS} export const tools = [tool('echo')]; export const shipped = false;`;
    expect((await agentOf(source)).tools).toEqual(['echo']);
  });
});

describe('a run that a program started with its own tools', () => {
  const ALONE = `${NOTE} export const shipped = false;`;

  /** A folder with the extension, and a run `run-1` of the same tools that waits for permission. */
  async function left() {
    const cwd = await folderWith(ALONE);
    const options = { ...asks, tools: [noteTool().tool] };
    await storeRun(cwd, [callNote('milk')], { id: 'run-1', options });
    return cwd;
  }
  /** An endpoint that says one thing. */
  async function saying(text: string) {
    const { baseURL } = await testEndpoint(stream([chunk({ content: text }, 'stop')]));
    return { AGENTHUB_PROVIDER: 'openai', AGENTHUB_MODEL: 'm', AGENTHUB_BASE_URL: baseURL };
  }

  it('cannot go on without it, and what to do is said', async () => {
    const cwd = await left();
    const resumed = await agenthub(cwd, ['resume', 'run-1']);
    expect([resumed.exitCode, resumed.out]).toEqual([1, '']);
    expect(resumed.err).toMatch(
      /^agenthub: Run run-1 began under other .* If it began with an extension, name the same one: --extension <file>\.\n$/u,
    );
    const chinese = await agenthub(cwd, ['resume', 'run-1'], zh);
    expect(chinese.err).toContain('开始时用了扩展的，请写上同一个：--extension <文件>。');
    // The same policies and no tool: an approval must not run into nothing.
    await writeFile(join(cwd, 'own.mjs'), 'export const tools = []; export const shipped = false;');
    const config = { permissions: { policies: { note: 'ask' } } };
    await writeFile(join(cwd, 'agenthub.config.json'), JSON.stringify(config));
    const { exitCode, err } = await agenthub(cwd, ['resume', 'run-1', ...OWN, ...NAMED]);
    expect([exitCode, err]).toEqual([
      2,
      expect.stringContaining('permissions.policies.note: there is no tool of this name'),
    ]);
  });

  it('is approved and goes on with it', async () => {
    const cwd = await left();
    const args = [...(await approval(cwd, 'run-1')), '--resume', ...OWN];
    const { exitCode, out, err } = await agenthub(cwd, args, { env: await saying('done') });
    expect([exitCode, out]).toEqual([0, 'done\n']);
    expect(err).toContain('tool   note {"text":"milk"} · ok');
  });

  it('the commands that are printed name it again', async () => {
    const cwd = await left();
    const approved = await agenthub(cwd, [...(await approval(cwd, 'run-1')), ...OWN]);
    expect(approved.out).toContain('agenthub resume run-1 --extension own.mjs\n');
    const forked = await agenthub(cwd, ['fork', 'run-1', '--at', '0', ...OWN]);
    expect(forked.out).toMatch(/agenthub resume \w+ --extension own\.mjs\n$/u);
  });

  it('is cancelled without it: that starts nothing', async () => {
    const cwd = await left();
    const { exitCode, out } = await agenthub(cwd, ['cancel', 'run-1']);
    expect([exitCode, out]).toEqual([0, 'Run run-1 was cancelled.\n']);
  });

  it('is forked under its policies', async () => {
    const cwd = await left();
    const fork = ['fork', 'run-1', '--at', '0', '--policies', 'current'];
    const { json } = await asJson(cwd, [...fork, ...OWN]);
    const { out } = await agenthub(cwd, ['export', json.runId]);
    expect(out).toContain('"note":"ask"');
  });

  it('goes on from the page', async () => {
    const cwd = await left();
    await agenthub(cwd, await approval(cwd, 'run-1'));
    const env = await saying('done');
    const person = fakeIo({ cwd, env, time: Date.now() });
    const served = cli(['inspect', ...OWN], person.io);
    await person.said('Ctrl-C');
    const url = new URL(person.out().trim());
    const token = new URLSearchParams(url.hash.slice(1)).get('token');
    const headers = {
      authorization: `Bearer ${token}`,
      origin: url.origin,
      'content-type': 'application/json',
    };
    const path = `${url.origin}/api/runs/run-1/resume`;
    const reply = await fetch(path, { method: 'POST', headers, body: '{}' });
    expect(reply.status).toBe(200);
    await expect
      .poll(async () => (await asJson(cwd, ['runs'])).json[0], { timeout: 10_000 })
      .toMatchObject({ status: 'done' });
    person.interrupt();
    expect(await served).toBe(0);
  });

  it('policy-check: its policies are under those of the file, and names of no tool are told', async () => {
    const cwd = await left();
    await writeFile(join(cwd, 'new.json'), JSON.stringify({ nite: 'deny', echo: 'deny' }));
    const plain = await agenthub(cwd, ['policy-check', 'new.json']);
    expect(plain.exitCode).toBe(1);
    const own = await agenthub(cwd, ['policy-check', 'new.json', ...OWN]);
    expect([own.exitCode, own.err]).toEqual([
      0,
      'There are no such tools, and policies for them change nothing: nite, echo. There are: note; tools of your own come with --extension <file>.\n',
    ]);
    const { json } = await asJson(cwd, ['policy-check', 'new.json', ...OWN]);
    expect(json).toMatchObject({ flips: [], unknownTools: ['nite', 'echo'] });
    expect((await agenthub(cwd, ['policy-check', 'new.json', ...OWN], zh)).err).toContain(
      '没有这些工具，关于它们的策略什么也不会改变：nite, echo。',
    );
  });

  it('policy-check without it: a tool that stored runs called is known by that, whether or not a decision flips', async () => {
    const cwd = await left();
    for (const action of ['ask', 'deny']) {
      await writeFile(join(cwd, 'new.json'), JSON.stringify({ note: action, nite: 'deny' }));
      const { err } = await agenthub(cwd, ['policy-check', 'new.json']);
      expect(err).toContain('policies for them change nothing: nite. There are: ');
      const { json } = await asJson(cwd, ['policy-check', 'new.json']);
      expect([json.decisions, json.unknownTools]).toEqual([1, ['nite']]);
    }
  });
});

describe('verify --extension', () => {
  const PROPERTY = (id: string, violation: string) =>
    `${NOTE} export const shipped = false;
     export const properties = [{ id: '${id}', text: '${id}', violation: ${violation} }];`;

  it('looks at worlds of its tools and policies, with its own properties', async () => {
    const cwd = await folderWith(PROPERTY('mine', '() => null'));
    const { exitCode, json } = await asJson(cwd, ['verify', '--calls', '1', ...OWN]);
    expect([exitCode, json.holds, json.worlds.length]).toEqual([0, true, 1]);
    expect(json.worlds[0].results.map(({ id }: { id: string }) => id)).toContain('mine');
  });

  it('a broken one is printed as a test that takes it from there', async () => {
    const cwd = await folderWith(PROPERTY('broken', "() => 'always'"));
    const { exitCode, out } = await agenthub(cwd, ['verify', '--calls', '1', ...OWN]);
    expect(exitCode).toBe(1);
    expect(out).toContain('import { properties } from "./own.mjs";');
  });

  it('brings worlds of its own, without properties too', async () => {
    const cwd = await folderWith(`${NOTE} export const worlds = [];`);
    const { exitCode, err } = await agenthub(cwd, ['verify', ...OWN]);
    expect([exitCode, err]).toEqual([
      2,
      expect.stringContaining(`--extension: ${cwd}/own.mjs: worlds must be an array`),
    ]);
  });

  it('--property goes before its own, and properties are checked like there', async () => {
    const cwd = await folderWith(`${NOTE} export const properties = [{}];`, {
      'fine.mjs': 'export const properties = [];',
    });
    const wrong = await agenthub(cwd, ['verify', ...OWN]);
    expect([wrong.exitCode, wrong.err]).toEqual([
      2,
      expect.stringContaining(`--extension: ${cwd}/own.mjs: properties[0]: missing or wrong: id`),
    ]);
    const args = ['verify', '--calls', '1', ...OWN, '--property', 'fine.mjs'];
    expect((await agenthub(cwd, args)).exitCode).toBe(0);
  });
});

it('help names it', async () => {
  for (const command of ['run', 'chat', 'resume', 'approve', 'inspect', 'verify'])
    expect((await agenthub('.', [command, '--help'])).out).toContain('--extension <file>');
});

import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../machines/agent/agent.types.ts';
import { MAIN } from '../cli/node-process.ts';
import { chunk, startEndpoint, stream } from '../model/endpoint.ts';

const execute = promisify(execFile);
const EXAMPLES = [
  ...(['embed', 'glm', 'hooks', 'machine', 'machine-questions', 'machine-stored'] as const),
  ...(['permissions', 'policies', 'store', 'testing-agent', 'testing-hooks'] as const),
  ...(['testing-model', 'testing-policy', 'testing-verification'] as const),
] as const;
const READMES = ['README.md', 'README.zh-CN.md'];

/** Runs node as a reader would, without anything from this environment. */
async function node(args: readonly string[], env: Record<string, string> = {}) {
  const { stdout } = await execute(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  return stdout;
}

/** Where the examples are as JavaScript: inside the package, whose name they import. */
const COMPILED = mkdtempSync(join('dist', 'examples-'));
afterAll(() => rm(COMPILED, { recursive: true, force: true }));
beforeAll(() =>
  build({
    entryPoints: [...EXAMPLES.map((name) => `docs/examples/${name}.ts`)],
    outdir: COMPILED,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  }),
);

/** Runs an example, compiled: each process would have to do that for itself. */
const run = (name: (typeof EXAMPLES)[number], env: Record<string, string> = {}) =>
  node([join(COMPILED, `${name}.mjs`)], env);

describe.concurrent('the examples run and print', () => {
  it('embed: a run watched, a question answered', async () => {
    expect(await run('embed')).toBe(
      [
        '→ callModel.checking',
        '→ callModel.working',
        '→ parseReply',
        '→ preToolHook.checking',
        '→ preToolHook.routing',
        '→ awaitPermission.inspecting',
        '→ awaitPermission.deciding',
        '→ awaitPermission.asking',
        'echo {"text":"hello"}: Each use of this tool needs a person to approve it',
        '→ awaitPermission.reviewing',
        '→ awaitPermission.inspecting',
        '→ awaitPermission.deciding',
        '→ execute',
        '→ postToolHook.checking',
        '→ callModel.checking',
        '→ callModel.working',
        '→ parseReply',
        '→ stopHook.checking',
        '→ done',
        'hello',
        '',
      ].join('\n'),
    );
  });

  it('hooks: a blocked call and an audit line', async () => {
    const blocked = 'not today: {"input":"a.jpg","output":"b.webp","width":320}';
    const printed = await run('hooks');
    expect(printed).toMatch(/^UserPromptSubmit run="run-1" turn=0 prompt="Resize a\.jpg/u);
    expect(printed).toMatch(/^PreToolUse run="run-1" turn=1 call="1\.0" tool="image_scaling"/mu);
    expect(printed).toContain(`A hook blocked the call: no-pictures: ${blocked}`);
  });

  it('permissions: a rule of our own asks, a person approves', async () => {
    expect(await run('permissions')).toBe(
      "[ 'The amount is above 100' ] [ 'use' ]\nok paid 250 back for A-1\n",
    );
  });

  it('store: a question answered after its process has gone', async ({ onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'agenthub-store-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const env = { STORE: join(folder, 'runs.db') };
    expect(await run('store', env)).toBe('hello\npolicy, lifted by ada\n');
  });

  it('machine: the agent as a child', async () => {
    expect(await run('machine')).toBe('answered\n');
  });

  it('mcp: a server of its own, one tool allowed and one asked about', async () => {
    expect(await node(['--import', 'tsx', 'docs/examples/mcp.ts'])).toBe(
      'stock__remove {"item":"tea","amount":2}?\nok tea: 5\nok tea: 3\n',
    );
  });

  it('machine-questions: the parent of the agent answers its question', async () => {
    expect(await run('machine-questions')).toBe(
      "echo Each use of this tool needs a person to approve it [ 'use' ]\nhello\n",
    );
  });

  it('machine-stored: a child that is stored, answered from elsewhere', async ({
    onTestFinished,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'agenthub-stored-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const env = { STORE: join(folder, 'runs.db') };
    expect(await run('machine-stored', env)).toBe('answered\n');
  });

  it('policies: rules on facts of our own', async () => {
    expect(await run('policies')).toBe(
      [
        ...['A-1 500 allow ', 'A-2 100 allow ', 'A-2 500 ask large_abroad'],
        ...['A-2 5000 deny too_large', ''],
      ].join('\n'),
    );
  });

  it.each(['agent', 'model', 'policy', 'hooks'] as const)(
    'testing-%s: tests that pass',
    async (name) => {
      const printed = await run(`testing-${name}`);
      expect(printed).toMatch(/^(# |ℹ )fail 0$/mu);
      expect(printed).not.toMatch(/^(# |ℹ )pass 0$/mu);
    },
  );

  it('testing-verification: prints what docs/testing.md shows', async () => {
    const printed = await run('testing-verification');
    expect(await readFile('docs/testing.md', 'utf8')).toContain(
      `\`\`\`text\n${printed.trimEnd()}\n\`\`\``,
    );
  });

  it('agenthub.config.json and pictures.verification.mjs: a configuration that is verified', async ({
    onTestFinished,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'agenthub-verify-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const config = join(folder, 'agenthub.config.json');
    await copyFile('docs/examples/agenthub.config.json', config);
    for (const name of ['pictures', 'contracts']) await mkdir(join(folder, name));
    const property = 'docs/examples/pictures.verification.mjs';
    const args = ['verify', '--config', config, '--property', property, '--calls', '1'];
    const printed = await node([MAIN, ...args]);
    expect(printed).toMatch(/^pictures +holds/mu);
    expect(printed).toMatch(/^no plan +holds/mu);
    expect(printed).not.toContain('broken');
  });

  it('glm: without a key nothing is sent; with an endpoint it streams', async ({
    onTestFinished,
  }) => {
    expect(await run('glm')).toBe('\nfailed auth\n');
    const usage = { ...chunk({}, 'stop'), usage: { prompt_tokens: 5, completion_tokens: 2 } };
    const endpoint = await startEndpoint(stream([chunk({ content: '你好！' }), usage]));
    onTestFinished(endpoint.stop);
    const env = { GLM_API_KEY: 'key', GLM_BASE_URL: endpoint.baseURL };
    expect(await run('glm', env)).toMatch(/^你好！\ndone \{\n {2}requests: 1,/u);
    expect(endpoint.received[0]).toMatchObject({
      headers: { authorization: 'Bearer key' },
      body: { model: 'glm-4.6', stream: true },
    });
  });
});

describe('what is generated', () => {
  it('is fresh', async () => {
    expect(await node(['--import', 'tsx', 'docs/generate.ts', '--check'])).toBe('');
  });

  it.each(READMES)('%s shows the whole embedding example, short as it is', async (path) => {
    const code = (await readFile('docs/examples/embed.ts', 'utf8')).trim();
    expect(await readFile(path, 'utf8')).toContain(code);
    expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(20);
  });

  it.each(READMES)('%s has every limit with its default', async (path) => {
    const readme = await readFile(path, 'utf8');
    for (const [name, value] of Object.entries(DEFAULT_LIMITS)) {
      if (value !== null) expect(readme).toMatch(new RegExp(`limits.${name}.* ${value} \\|`, 'u'));
      else expect(readme).toContain(`limits.${name}`);
    }
  });
});

it('both READMEs have the same sections and the same code', async () => {
  const [english = '', chinese = ''] = await Promise.all(
    READMES.map((path) => readFile(path, 'utf8')),
  );
  const sections = (text: string) => text.match(/^## /gmu)?.length;
  const blocks = (text: string) =>
    [...text.matchAll(/```(ts|json|mermaid)\n[^]*?```/gu)].map(([block]) => block);
  expect(sections(chinese)).toBe(sections(english));
  expect(blocks(chinese)).toEqual(blocks(english));
  const rooms = (text: string) => [...text.matchAll(/^\| \[([^\]]+)\]/gmu)].map(([, room]) => room);
  expect(rooms(chinese)).toEqual(rooms(english));
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadSettings, unflatten } from '../../src/cli/config.ts';
import { configSchema } from '../../src/cli/config-schema.ts';
import { settingsFlags } from '../../src/cli/flags.ts';
import { cli } from '../../src/cli/program.ts';
import { fakeIo } from './fake-io.ts';
import { temporaryFolder } from './temporary.ts';

const FILE = 'agenthub.config.json';

async function config(
  file: string | object | null,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
) {
  const cwd = await temporaryFolder(file === null ? {} : { [FILE]: file });
  const person = fakeIo({ cwd, env });
  // Named, so that all of it is in effect; what of a found file is, is told by trust.test.ts.
  const named = file === null || args.includes('--config') ? [] : ['--config', FILE];
  const exitCode = await cli(['config', ...named, ...args], person.io);
  const lines = person
    .err()
    .replace(/^agenthub: /u, '')
    .replaceAll(`${cwd}/`, '')
    .trimEnd()
    .split('\n');
  return { exitCode, out: person.out().replaceAll(cwd, '.'), lines, cwd };
}

describe('agenthub config', () => {
  it('shows each value and where it comes from: default, file, environment, flag', async () => {
    const file = { model: { provider: 'glm', name: 'from-file', timeout: 5 }, locale: 'zh' };
    const env = { AGENTHUB_MODEL: 'from-env', AGENTHUB_LOCALE: 'en', ZHIPUAI_API_KEY: 'secret' };
    const { exitCode, out } = await config(file, { env, args: ['--protocol', 'react-text'] });
    expect(exitCode).toBe(0);
    expect(out.split('\n')).toEqual(
      expect.arrayContaining([
        `model.provider = "glm"  (file ./${FILE})`,
        'model.name = "from-env"  (environment AGENTHUB_MODEL)',
        'locale = "en"  (environment AGENTHUB_LOCALE)',
        'protocol = "react-text"  (flag --protocol)',
        `model.timeout = 5  (file ./${FILE})`,
        'model.maxRetries = 2  (default)',
        'limits.turns = 25  (default)',
        'limits.approvalDeadline = null  (default)',
        'store = "./.agenthub/runs.db"  (default)',
        'files.allowed = ["."]  (default)',
        'model.apiKey = set (not shown)  (environment ZHIPUAI_API_KEY)',
      ]),
    );
    expect(out).not.toContain('secret');
  });

  it('where nothing is stored a question has ten minutes; a store is named by file, variable or flag', async () => {
    const shown = async (file: object | null, args: string[], env: Record<string, string> = {}) =>
      (await config(file, { args, env })).out
        .split('\n')
        .filter((line) => /^(store|limits\.approvalDeadline) /u.test(line));
    expect(await shown(null, ['--no-store'])).toEqual([
      'limits.approvalDeadline = 600000  (default)',
      'store = false  (flag --no-store)',
    ]);
    expect(await shown({ store: false, limits: { approvalDeadline: 5 } }, [])).toEqual([
      `limits.approvalDeadline = 5  (file ./${FILE})`,
      `store = false  (file ./${FILE})`,
    ]);
    expect(await shown({ store: 'kept/runs.db' }, [])).toEqual([
      'limits.approvalDeadline = null  (default)',
      `store = "./kept/runs.db"  (file ./${FILE})`,
    ]);
    expect(await shown({ store: 'x' }, ['--store', 'y'], { AGENTHUB_STORE: 'z' })).toContain(
      'store = "y"  (flag --store)',
    );
    expect(await shown({ store: 'x' }, [], { AGENTHUB_STORE: 'z' })).toContain(
      'store = "z"  (environment AGENTHUB_STORE)',
    );
    expect((await config({ store: true })).lines).toEqual([
      `${FILE}: store: true is not allowed; allowed: text, not empty | false`,
    ]);
  });

  it('shows the policies in effect: the shipped ones, and its own over them', async () => {
    const shown = async (file: object | null) => {
      const { out } = await config(file, { args: ['--json'] });
      return Object.entries(JSON.parse(out) as Record<string, { value: unknown; source: string }>)
        .filter(([name]) => name.startsWith('permissions.'))
        .map(([name, { value, source }]) => [name, typeof value, source]);
    };
    const shipped = [
      ['permissions.policies.image_scaling', 'object', 'default'],
      ['permissions.policies.knowledge_search', 'string', 'default'],
      ['permissions.policies.todo_write', 'string', 'default'],
    ];
    expect(await shown(null)).toEqual(shipped);
    const policies = { echo: 'ask', image_scaling: 'deny' };
    expect(await shown({ permissions: { policies } })).toEqual([
      ['permissions.policies.echo', 'string', 'file'],
      ['permissions.policies.image_scaling', 'string', 'file'],
      ...shipped.slice(1),
    ]);
  });

  it('gives the same as JSON', async () => {
    const { out } = await config({ limits: { turns: 3 } }, { args: ['--json', '--locale=zh'] });
    expect(JSON.parse(out)).toMatchObject({
      'limits.turns': { value: 3, source: 'file', from: `./${FILE}` },
      locale: { value: 'zh', source: 'flag', from: '--locale' },
      'model.apiKey': { value: '未设置', source: 'default' },
    });
  });

  it("sends a provider's own key only to its own address", async () => {
    const env = { OPENAI_API_KEY: 'one' };
    const custom = ['--provider', 'openai', '--base-url', 'https://elsewhere.example/v1'];
    const key = async (args: string[], more: Record<string, string> = {}) =>
      JSON.parse((await config(null, { args: [...args, '--json'], env: { ...env, ...more } })).out)[
        'model.apiKey'
      ].from;
    expect(await key(['--provider', 'openai'])).toBe('OPENAI_API_KEY');
    expect(await key(custom)).toBe('');
    expect(await key(custom, { AGENTHUB_API_KEY: 'two' })).toBe('AGENTHUB_API_KEY');
    expect(await key(['--provider', 'glm'])).toBe('');
  });

  it('starts relative folders of the file from its own folder', async () => {
    const cwd = await temporaryFolder({ [FILE]: { files: { allowed: ['.'] } } });
    const settings = loadSettings({
      cwd: '/',
      env: {},
      flags: {},
      file: join(cwd, FILE),
    });
    expect(settings.get('files.allowed')?.value).toEqual([cwd]);
  });

  it('takes a byte order mark', async () => {
    expect((await config('\ufeff{"locale":"zh"}')).exitCode).toBe(0);
  });
});

describe('what is wrong in a configuration', () => {
  it('is told all at once, file first, each with its place, path and what is allowed', async () => {
    const file = {
      modle: {},
      model: { provider: 'gml', timeout: 0, maxRetries: 1.5, nmae: 'x', baseURL: 'ftp://x' },
      limits: { turns: '25', repairs: -1, tokens: 0 },
      hooks: { todoReminder: 'yes' },
      files: { allowed: [] },
      allowedServices: 'https://img.example',
      permissions: { policies: { echo: 'always', note: { rules: [{ when: [], action: 'ask' }] } } },
      imageService: {},
    };
    const env = { AGENTHUB_PROTOCOL: 'xml' };
    const { exitCode, lines } = await config(file, { env, args: ['--locale', 'fr'] });
    expect(exitCode).toBe(2);
    expect(lines).toEqual([
      `${FILE}: model.provider: "gml" is not allowed; allowed: "offline" | "glm" | "deepseek" | "ollama" | "openai"`,
      `${FILE}: model.baseURL: "ftp://x" is not allowed; allowed: http(s)://…`,
      `${FILE}: model.timeout: 0 is not allowed; allowed: integer 1…2147483647`,
      `${FILE}: model.maxRetries: 1.5 is not allowed; allowed: integer 0…20`,
      `${FILE}: model.nmae: there is no such setting; allowed: provider, name, baseURL, timeout, maxRetries, stream`,
      `${FILE}: files.allowed: [] is not allowed; allowed: [ text, not empty, … ]`,
      `${FILE}: imageService.url: is missing; allowed: http(s)://…`,
      `${FILE}: allowedServices: "https://img.example" is not allowed; allowed: [ http(s)://…, … ]`,
      `${FILE}: permissions.policies.echo: "always" is not allowed; allowed: "allow" | "ask" | "deny" | { rules }`,
      `${FILE}: permissions.policies.note.rules.0.approval: is missing; allowed: "outside" | "service" | "overwrite" | "use" | "hook" | "repeat" | null`,
      `${FILE}: permissions.policies.note.rules.0.reason: is missing; allowed: { code, zh, en }`,
      `${FILE}: limits.turns: "25" is not allowed; allowed: integer ≥ 1`,
      `${FILE}: limits.repairs: -1 is not allowed; allowed: integer ≥ 1 | 0`,
      `${FILE}: limits.tokens: 0 is not allowed; allowed: integer ≥ 1 | null`,
      `${FILE}: hooks.todoReminder: "yes" is not allowed; allowed: boolean`,
      `${FILE}: modle: there is no such setting; allowed: model, protocol, locale, store, instructions, knowledge, files, imageService, allowedServices, permissions, limits, hooks`,
      'AGENTHUB_PROTOCOL: protocol: "xml" is not allowed; allowed: "native-calls" | "react-text"',
      '--locale: locale: "fr" is not allowed; allowed: "zh" | "en"',
    ]);
  });

  it('is told in Chinese to whom speaks it', async () => {
    const { lines } = await config(
      { locale: 'fr', oops: 1 },
      { env: { LANG: 'zh_CN.UTF-8' }, args: ['--knowledge', 'nowhere'] },
    );
    expect(lines[0]).toBe(`${FILE}: locale: 不能是 "fr"；允许："zh" | "en"`);
    expect(lines[1]).toMatch(/oops: 没有这个设置；允许：model, /u);
    expect(lines[2]).toBe('--knowledge: knowledge: 没有目录 nowhere');
  });

  it.each([
    ['{\n  "locale": "zh",\n}', new RegExp(`^${FILE}:3:1: not JSON: `, 'u')],
    ['', new RegExp(`^${FILE}: not JSON: `, 'u')],
    ['[]', new RegExp(`^${FILE}: \\[\\] is not allowed; allowed: \\{ .*model, protocol`, 'u')],
    ['null', new RegExp(`^${FILE}: null is not allowed`, 'u')],
  ])('tells where %j stops being a configuration', async (text, expected) => {
    const { exitCode, lines } = await config(text);
    expect(exitCode).toBe(2);
    expect(lines.join('\n')).toMatch(expected);
  });

  it('never shows credentials in an address', async () => {
    const { exitCode, lines } = await config(null, {
      args: ['--provider', 'openai', '--base-url', 'https://me:hunter2@x.example/v1'],
    });
    expect(exitCode).toBe(2);
    expect(lines).toEqual([
      '--base-url: model.baseURL: "https://…@x.example/v1" is not allowed; allowed: an http or https URL without a user name or password',
    ]);
  });

  it.each([
    [['--config', 'nowhere.json'], 'nowhere.json: cannot be read (ENOENT)'],
    [['--knowledge', 'nowhere'], '--knowledge: knowledge: there is no folder nowhere'],
  ])('%j names what is not there', async (args, line) => {
    const { exitCode, lines } = await config(null, { args });
    expect([exitCode, lines]).toEqual([2, [line]]);
  });

  it('half a model configuration does not end at the offline rules', async () => {
    const cwd = await temporaryFolder();
    const run = async (...args: string[]) => {
      const person = fakeIo({ cwd });
      return [await cli(['run', 'hello', ...args], person.io), person.err()];
    };
    expect(await run('--model', 'glm-4.6')).toEqual([
      2,
      'agenthub: model.name: is set, but model.provider is not; allowed: glm, deepseek, ollama, openai (any OpenAI-compatible endpoint)\n',
    ]);
    expect(await run('--provider', 'glm')).toEqual([
      2,
      'agenthub: model.name: say which model of glm to use: --model, AGENTHUB_MODEL or the configuration file.\n',
    ]);
    expect(await run('--provider', 'glm', '--model', 'glm-4.6')).toEqual([
      4,
      'agenthub: glm needs an API key: set the environment variable AGENTHUB_API_KEY or ZHIPUAI_API_KEY or BIGMODEL_API_KEY.\n',
    ]);
  });
});

it('publishes the schema of the file', () => {
  const published = JSON.parse(readFileSync('agenthub.schema.json', 'utf8'));
  expect(published).toMatchObject(
    JSON.parse(JSON.stringify(z.toJSONSchema(configSchema, { io: 'input' }))),
  );
});

it('has a setting for every flag', () => {
  const flags = settingsFlags({ provider: 'offline', model: 'm', locale: 'zh' });
  const settings = loadSettings({ cwd: process.cwd(), env: {}, flags });
  expect(unflatten(settings)).toMatchObject({
    model: { provider: 'offline', name: 'm' },
    locale: 'zh',
  });
});

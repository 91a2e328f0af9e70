import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIN, startNode } from './node-process.ts';
import { agenthub } from './stored.ts';
import { temporaryFolder } from './temporary.ts';

/** Later versions of Node strip types. */
const canLoadTypeScript = 'typescript' in process.features && Boolean(process.features.typescript);

const NEEDS =
  'A property needs an id and a text (not empty), and violation or goal (functions); always, never, onlyAfter and eventually of agenthub/testing make such ones.';

describe('verify --property: the module is checked before anything is explored', () => {
  it.each([
    [
      'no such export',
      'export const property = [];',
      'must export an array, such as export const properties = [never("no-echo", starts({ tool: "echo" }))]; its properties is undefined.',
    ],
    ['no array', 'export const properties = {};', 'its properties is object.'],
    ['null', 'export const properties = [null];', `properties[0] is no object. ${NEEDS}`],
    [
      'an empty object',
      'export const properties = [{}];',
      `properties[0]: missing or wrong: id, text, violation | goal. ${NEEDS}`,
    ],
    [
      'an id that is no text',
      'export const properties = [{ id: 1, text: "x", goal: () => true }];',
      `properties[0]: missing or wrong: id. ${NEEDS}`,
    ],
    [
      'a second one without functions',
      `const good = { id: 'a', text: 'a', violation: () => null };
       export const properties = [good, { id: 'b', text: '', violation: 'x', memory: {} }];`,
      `properties[1]: missing or wrong: text, violation, memory.next. ${NEEDS}`,
    ],
    [
      'an id twice',
      `const good = { id: 'a', text: 'a', violation: () => null };
       export const properties = [good, good];`,
      'properties[1]: there is a property with the id "a" already; an id is used once, by the shipped ones too.',
    ],
    [
      'the id of a shipped one',
      `export const properties = [{ id: 'rest', text: 'a', violation: () => null }];`,
      'properties[0]: there is a property with the id "rest" already;',
    ],
    [
      'worlds that are none',
      'export const properties = []; export const worlds = [{ name: "x" }];',
      'worlds must be an array that is not empty, of objects with name, world and replay ("all" or a whole number), as hostWorlds(…) gives; what is wrong: worlds[0].',
    ],
    ['a module that throws', 'throw new Error("boom");', 'cannot be loaded: Error: boom'],
  ])('%s', async (_, source, words) => {
    const cwd = await temporaryFolder({ 'own.mjs': source });
    const { exitCode, out, err } = await agenthub(cwd, ['verify', '--property', 'own.mjs']);
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toContain(`agenthub: --property: ${cwd}/own.mjs`);
    expect(err).toContain(words);
    const zh = await agenthub(cwd, ['verify', '--property', 'own.mjs', '--locale', 'zh']);
    expect([zh.exitCode, zh.err]).toEqual([2, expect.stringMatching(/^agenthub: --property：/u)]);
  });

  it.skipIf(canLoadTypeScript)('TypeScript, which this Node does not load by itself', async () => {
    const cwd = await temporaryFolder({ 'own.ts': 'export const properties = [];' });
    const { code, err } = await startNode([MAIN, 'verify', '--property', 'own.ts'], { cwd }).ended;
    expect([code, err]).toEqual([
      2,
      `agenthub: --property: Node ${process.version} cannot load ${cwd}/own.ts: it must be JavaScript that Node can load itself (.mjs or .js). Compile it first, or give Node a loader, such as NODE_OPTIONS="--import tsx".\n`,
    ]);
  });

  it('a file that is not there', async () => {
    const cwd = await temporaryFolder();
    expect(await agenthub(cwd, ['verify', '--property', 'own.mjs'])).toEqual({
      exitCode: 2,
      out: '',
      err: `agenthub: --property: there is no file ${cwd}/own.mjs.\n`,
    });
  });
});

describe('verify --html: whether the file can be written is known before anything is explored', () => {
  it.each([
    ['a folder that is not there', 'nope/report.html', 'ENOENT'],
    ['a folder', 'folder', 'EISDIR'],
  ])('%s', async (_, file, why) => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, 'folder'));
    expect(await agenthub(cwd, ['verify', '--html', file])).toEqual({
      exitCode: 1,
      out: '',
      err: `agenthub: ${cwd}/${file} cannot be written (${why}); no half file was left.\n`,
    });
    const zh = await agenthub(cwd, ['verify', '--html', file, '--locale', 'zh']);
    expect(zh.err).toBe(`agenthub: 无法写入 ${cwd}/${file}（${why}）；没有留下半个文件。\n`);
    expect(existsSync(join(cwd, 'nope'))).toBe(false);
  });
});

describe('verify: a property that no call in any world is about was not checked', () => {
  const source = `import { never, settles, starts } from 'agenthub/testing';
import { defineTool } from 'agenthub';
import { z } from 'zod';
const input = z.object({ amount: z.number() });
const name = 'refund';
export const tools = [
  defineTool({ name, description: { zh: '退款', en: 'Pays back.' }, input, execute: async () => '' }),
];
export const shipped = false;
export const policies = { refund: 'allow' };
const where = ({ input }) => input.amount > 100;
export const properties = [
  never('no large refund', starts({ tool: 'refund', where })),
  never('typo tool', starts({ tool: 'refnd' })),
  never('no plan', starts({ tool: 'todo_write', where: () => false })),
  never('no second turn', starts({ tool: 'refund', where: ({ id }) => id === '2.0' })),
  never('no empty refund', settles({ tool: 'refund', outcome: 'unknown_tool' })),
];
`;
  const args = ['verify', '--extension', 'own.mjs', '--calls', '1'];

  it('says so, in both languages and on the page, and exits with 1', async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, 'node_modules'));
    await symlink(resolve('.'), join(cwd, 'node_modules', 'agenthub'));
    await symlink(resolve('node_modules', 'zod'), join(cwd, 'node_modules', 'zod'));
    await writeFile(join(cwd, 'own.mjs'), source);
    const en = await agenthub(cwd, [...args, '--html', 'report.html']);
    expect([en.exitCode, en.err]).toEqual([1, '']);
    expect(en.out).toMatch(
      /^no large refund +unchecked {2}Never: .+\n {2}No call in any state of any world is one it is about, so it could not fail\./mu,
    );
    expect(en.out.match(/ unchecked /gu)).toHaveLength(4);
    expect(en.out).toMatch(/^no empty refund +holds/mu);
    const page = await readFile(join(cwd, 'report.html'), 'utf8');
    expect(page).toMatch(
      /<td>typo tool<\/td><td>unchecked<\/td>.+<p>No call in any state of any world/u,
    );
    const zh = await agenthub(cwd, [...args, '--locale', 'zh']);
    expect(zh.exitCode).toBe(1);
    expect(zh.out).toMatch(/^typo tool +未检验 .+\n {2}任何世界的任何状态里都没有它所说的调用/mu);
  });
});

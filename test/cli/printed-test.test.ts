import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import {
  checkProperties,
  formatTest,
  INVARIANTS,
  isBroken,
  LIMITS_WORLD,
  ONE_CALL_WORLD,
  type World,
} from '../../src/testing/index.ts';
import { collect, startNode } from './node-process.ts';
import { agenthub } from './stored.ts';
import { temporaryFolder } from './temporary.ts';

/** A project of a user, with this package and vitest installed. */
async function project(files: Readonly<Record<string, string>>) {
  const cwd = await temporaryFolder({ 'package.json': { type: 'module' }, ...files });
  await mkdir(join(cwd, 'node_modules'));
  await symlink(resolve('.'), join(cwd, 'node_modules', 'agenthub'));
  await symlink(resolve('node_modules', 'vitest'), join(cwd, 'node_modules', 'vitest'));
  return cwd;
}

async function runTest(cwd: string, printed: string) {
  await writeFile(join(cwd, 'found.test.ts'), printed);
  const vitest = resolve('node_modules', 'vitest', 'vitest.mjs');
  const { child } = startNode([vitest, 'run', '--root', cwd], { cwd, env: { NO_COLOR: '1' } });
  return collect(child);
}

/** The first counterexample of the design's own properties on a machine with a fault, as a test. */
function testOfFault(world: World): string {
  const fault = { actions: { blockLiveCalls: assign({}) } };
  const machine = agentMachine.provide(fault as never);
  const { results } = checkProperties(world, INVARIANTS, { machine });
  const found = results.filter(isBroken).find(({ id }) => id === 'pre-hook');
  if (found === undefined) throw new Error('the fault was not found');
  return formatTest(found, { world });
}

describe('the test that verify prints for what is broken', () => {
  it('runs as printed: a shipped property, which the mended machine keeps', async () => {
    const printed = testOfFault(ONE_CALL_WORLD);
    expect(printed.split('\n').slice(0, 2)).toEqual([
      "import { COMES_TO_REST, INVARIANTS, ONE_CALL_WORLD, checkPath, createReplay } from 'agenthub/testing';",
      "import { expect, it } from 'vitest';",
    ]);
    const { code, out, err } = await runTest(await project({}), printed);
    expect([code, out]).toEqual([0, expect.stringMatching(/Tests +1 passed/u)]);
    expect(err).toBe('');
  });

  it('holds a world of the user’s own in full', async () => {
    const world = { ...ONE_CALL_WORLD, limits: { ...LIMITS_WORLD.limits, turns: 1 } };
    const printed = testOfFault(world);
    expect(printed).toContain('createReplay({"policies":{');
    const { code, out } = await runTest(await project({}), printed);
    expect([code, out]).toEqual([0, expect.stringMatching(/Tests +1 passed/u)]);
  });

  it('a property of the user’s own is taken from their module, and fails with what is wrong', async () => {
    const own = `import { never, ONE_CALL_WORLD, starts } from 'agenthub/testing';
export const properties = [never('no pictures', starts({ tool: 'image_scaling' }))];
export const worlds = [{ name: 'mine', world: ONE_CALL_WORLD, replay: 1000 }];
`;
    const cwd = await project({ 'own.mjs': own });
    const { exitCode, out } = await agenthub(cwd, ['verify', '--property', 'own.mjs']);
    expect(exitCode).toBe(1);
    const printed = out.slice(out.indexOf('import {'));
    expect(printed).toContain('import { properties } from "./own.mjs";');
    const ran = await runTest(cwd, printed);
    expect([ran.code, ran.out]).toEqual([1, expect.stringMatching(/Tests +1 failed/u)]);
    expect(`${ran.out}${ran.err}`).toContain('the start of image_scaling (1.0)');
    expect(`${ran.out}${ran.err}`).toContain(
      'AssertionError: expected [ Array(1) ] to deeply equal [ [] ]',
    );
  });
});

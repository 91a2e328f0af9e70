import { describe, expect, it } from 'vitest';
import { agenthub } from './stored.ts';
import { temporaryFolder } from './temporary.ts';

const FILE = 'agenthub.config.json';

async function complaints(file: object): Promise<string[]> {
  const cwd = await temporaryFolder({ [FILE]: file });
  const { err } = await agenthub(cwd, ['config']);
  return err
    .replace(/^agenthub: /u, '')
    .replaceAll(`${cwd}/`, '')
    .trimEnd()
    .split('\n');
}

describe('a condition of a rule that is none', () => {
  it.each([
    [{ fact: 'amount', over: 1 }, '{"fact":"amount","over":1} is not allowed; allowed: CONDITION'],
    [{ fact: 'amount' }, '{"fact":"amount"} is not allowed; allowed: CONDITION'],
    [{ above: 1 }, '{"above":1} is not allowed; allowed: CONDITION'],
    ['amount', '"amount" is not allowed; allowed: CONDITION'],
  ])('a condition %j: one of is, above, below', async (condition, words) => {
    const rule = {
      ...{ when: [condition], action: 'deny', approval: null },
      reason: { code: 'x', zh: 'x', en: 'x' },
    };
    const lines = await complaints({ permissions: { policies: { note: { rules: [rule] } } } });
    const shapes = '{ fact, is } | { fact, above } | { fact, below }';
    expect(lines).toEqual([
      `${FILE}: permissions.policies.note.rules.0.when.0: ${words.replace('CONDITION', shapes)}`,
    ]);
  });

  it('where one shape was meant, what it holds is what is wrong', async () => {
    const rule = { when: [{ fact: 'a', above: 'x' }], action: 'ask', approval: null, reason: {} };
    const lines = await complaints({
      permissions: { policies: { note: { rules: [rule], only: 1 } } },
    });
    const at = `${FILE}: permissions.policies.note`;
    expect(lines.slice(0, 1).concat(lines.slice(-1))).toEqual([
      `${at}.rules.0.when.0.above: "x" is not allowed; allowed: number`,
      `${at}.only: there is no such setting; allowed: rules`,
    ]);
  });
});

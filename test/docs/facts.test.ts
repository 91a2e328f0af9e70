import { describe, expect, it } from 'vitest';
import { payout, verifyPayouts } from '../../docs/examples/facts.verification.ts';
import { formatSteps, isBroken } from '../../src/testing/index.ts';

const problems = ({ worlds }: Awaited<ReturnType<typeof verifyPayouts>>) =>
  worlds.flatMap(({ results }) => results.filter(isBroken).map(formatSteps));

describe('the facts example of docs/testing.md', () => {
  it('holds: what a policy says of a fact is what the property says of the input', async () => {
    const result = await verifyPayouts();
    expect(problems(result)).toEqual([]);
    expect(result.holds).toBe(true);
  });

  it('finds an inspectFacts that looks at the first amount alone', async () => {
    const inspectFacts = async ({ amounts }: { amounts: readonly number[] }) => ({
      total: amounts[0] ?? 0,
    });
    expect(problems(await verifyPayouts({ ...payout, inspectFacts }))).toEqual([
      [
        'large: Only after the approval use for payout of more than 500 in all: the start of payout of more than 500 in all.',
        '  1. callModel → reply (1 ms, 1 tokens)',
        '  2. parseReply → calls payout {"amounts":[300,300]}',
        '  3. inspectFacts → 1.0: total 300',
        '  => the start of payout of more than 500 in all (1.0) without the approval use for payout of more than 500 in all',
      ].join('\n'),
    ]);
  });
});

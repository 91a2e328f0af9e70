import { describe, expect, it } from 'vitest';
import { verifyRefunds } from '../../docs/examples/refund.verification.ts';
import { defineHook } from '../../src/hooks/index.ts';
import {
  formatMermaid,
  formatSteps,
  formatTest,
  isBroken,
  ONE_CALL_WORLD,
} from '../../src/testing/index.ts';

describe('the refund example of docs/verification.md', () => {
  it('holds: no path refunds more than 500 without a grant', async () => {
    const { holds, worlds } = await verifyRefunds();
    const results = worlds.flatMap((world) => world.results);
    expect(results.filter(isBroken).map(formatSteps)).toEqual([]);
    expect(results.map(({ id }) => id)).toContain('large refunds');
    expect(holds).toBe(true);
  });

  it('fails with the path when the hook is broken', async () => {
    const broken = defineHook({
      name: 'large-refunds',
      event: 'PreToolUse',
      matcher: 'refund',
      run: () => ({ decision: 'proceed' }),
    });
    const { holds, worlds } = await verifyRefunds([broken]);
    expect(holds).toBe(false);
    const failed = worlds.flatMap(({ results }) => results.filter(isBroken));
    expect(failed.map(({ id }) => id)).toEqual(['large refunds']);
    const [first] = failed;
    if (first === undefined) throw new Error('nothing failed');
    expect(formatSteps(first)).toBe(
      [
        'large refunds: Only after the approval hook for refund of more than 500: the start of refund of more than 500.',
        '  1. callModel → reply (1 ms, 1 tokens)',
        '  2. parseReply → calls refund {"order":"A2","amount":900}',
        '  3. preToolUse → 1.0: proceed',
        '  4. inspectFacts → 1.0: clean',
        '  => the start of refund of more than 500 (1.0) without the approval hook for refund of more than 500',
      ].join('\n'),
    );
    expect(formatMermaid(first)).toContain('Hooks->>Agent: preToolUse → 1.0: proceed');
    const origin = { world: ONE_CALL_WORLD, module: './refund.verification.ts' };
    expect(formatTest(first, origin)).toContain(
      'import { properties } from "./refund.verification.ts";',
    );
    expect(formatTest(first, origin)).toContain('await createReplay(ONE_CALL_WORLD)(path);');
  });
});

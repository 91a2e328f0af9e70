import { describe, expect, it } from 'vitest';
import { hookFailure } from '../../src/hooks/call-hook.ts';
import {
  foldPostToolUse,
  foldPreToolUse,
  foldStop,
  foldUserPromptSubmit,
  NO_STOP,
  NO_USER_PROMPT_SUBMIT,
  noPostToolUse,
  noPreToolUse,
} from '../../src/hooks/fold-answers.ts';
import type { HookOutputs } from '../../src/hooks/index.ts';

type Decision = HookOutputs['PreToolUse']['decision'];

const failure = hookFailure('hook_crashed', 'boom', 'en');
const broken = { hook: 'broken', ok: false, failure } as const;

function said<Output>(hook: string, output: Output) {
  return { hook, ok: true, output } as const;
}

describe('foldPreToolUse', () => {
  const decisions: readonly Decision[] = ['proceed', 'ask', 'block'];

  it.each(decisions.flatMap((first) => decisions.map((second) => [first, second] as const)))(
    '%s then %s: the strictest wins, whatever the order',
    (first, second) => {
      const strictest = decisions[Math.max(decisions.indexOf(first), decisions.indexOf(second))];
      const folded = [first, second].reduce(
        (state, decision, index) =>
          foldPreToolUse(state, said(`h${index}`, { decision, reason: `because ${decision}` })),
        noPreToolUse({}),
      );
      expect(folded.verdict).toBe(strictest);
      expect(folded.reasons).toEqual(
        [first, second]
          .map((decision, index) => ({
            source: `h${index}`,
            text: `because ${decision}`,
            decision,
          }))
          .filter(({ decision }) => decision !== 'proceed')
          .map(({ source, text }) => ({ source, text })),
      );
    },
  );

  it('a failure is reported as failed even beside a block, and keeps the input', () => {
    const blocked = foldPreToolUse(
      noPreToolUse({ a: 1 }),
      said('gate', { decision: 'block', reason: 'no', input: { a: 2 } }),
    );
    const folded = foldPreToolUse(blocked, broken);
    expect(folded).toEqual({
      verdict: 'failed',
      reasons: [
        { source: 'gate', text: 'no' },
        { source: 'broken', text: 'The hook crashed: boom' },
      ],
      context: [],
      input: { a: 2 },
    });
    expect(foldPreToolUse(folded, said('later', { decision: 'proceed' })).verdict).toBe('failed');
  });

  it('replaces the input with null too, and keeps it when none is given', () => {
    const nulled = foldPreToolUse(noPreToolUse(1), said('a', { decision: 'proceed', input: null }));
    expect(nulled.input).toBeNull();
    expect(foldPreToolUse(nulled, said('b', { decision: 'proceed' })).input).toBeNull();
  });
});

describe('foldUserPromptSubmit', () => {
  it('collects context of all, and blank context of none', () => {
    const first = foldUserPromptSubmit(
      NO_USER_PROMPT_SUBMIT,
      said('a', { decision: 'proceed', context: 'It is Monday.' }),
    );
    const second = foldUserPromptSubmit(first, said('b', { decision: 'proceed', context: ' ' }));
    expect(second).toEqual({
      verdict: 'proceed',
      context: [{ source: 'a', text: 'It is Monday.' }],
      reasons: [],
    });
    expect(foldUserPromptSubmit(second, broken).verdict).toBe('failed');
  });
});

describe('foldPostToolUse', () => {
  it('a failure after a replacement keeps the replacement', () => {
    const replaced = foldPostToolUse(noPostToolUse('raw'), said('a', { content: 'clean' }));
    expect(foldPostToolUse(replaced, broken)).toEqual({
      content: 'clean',
      context: [],
      failures: [{ hook: 'broken', error: failure.error }],
    });
  });

  it('an empty replacement is a replacement', () => {
    expect(foldPostToolUse(noPostToolUse('raw'), said('a', { content: '' })).content).toBe('');
  });
});

describe('foldStop', () => {
  it('block beats allow, failed beats block', () => {
    const blocked = foldStop(NO_STOP, said('a', { decision: 'block', reason: 'not yet' }));
    expect(foldStop(blocked, said('b', { decision: 'allow' }))).toEqual({
      verdict: 'block',
      reasons: [{ source: 'a', text: 'not yet' }],
    });
    expect(foldStop(blocked, broken)).toEqual({
      verdict: 'failed',
      reasons: [
        { source: 'a', text: 'not yet' },
        { source: 'broken', text: 'The hook crashed: boom' },
      ],
    });
  });
});

import { describe, expect, it } from 'vitest';
import { DEFAULT_HOOK_TIMEOUT, defineHook } from '../../src/hooks/index.ts';

const run = () => ({ decision: 'proceed' }) as const;

describe('defineHook', () => {
  it('fills in the defaults and freezes', () => {
    const hook = defineHook({ name: 'gate', event: 'PreToolUse', run });
    expect(hook).toEqual({ name: 'gate', event: 'PreToolUse', matcher: '*', timeout: 60_000, run });
    expect(DEFAULT_HOOK_TIMEOUT).toBe(60_000);
    expect(Object.isFrozen(hook)).toBe(true);
  });

  it.each([
    [{ name: ' ' }, /^A hook is not valid: name/],
    [{ event: 'PreTool' }, /^Hook "gate" is not valid: event/],
    [{ timeout: 0 }, /timeout/],
    [{ timeout: Number.NaN }, /timeout/],
    [{ timeout: 3_000_000_000 }, /timeout/],
    [{ matcher: '(' }, /matcher: \( is not a name list or regular expression/],
    [{ run: 'no' }, /run: must be a function/],
    [{ wait: 3 }, /wait/],
    [{ event: 'Stop', matcher: 'echo' }, /matcher: Stop has no tool to match/],
  ])('refuses %o', (wrong, message) => {
    const definition = { name: 'gate', event: 'PreToolUse', run, ...wrong } as never;
    expect(() => defineHook(definition)).toThrow(
      expect.objectContaining({ code: 'invalid_hook', message: expect.stringMatching(message) }),
    );
  });

  it.each(['', '*', 'a|b', 'a-b, c', 'mcp__.*'])('accepts the matcher %o', (matcher) => {
    expect(defineHook({ name: 'gate', event: 'PreToolUse', matcher, run }).matcher).toBe(matcher);
  });

  it('does not compile for an answer that a gate would refuse', () => {
    defineHook({ name: 'gate', event: 'Stop', run: () => ({ decision: 'allow' }) });
    defineHook({ name: 'gate', event: 'Stop', run: () => ({ decision: 'block', reason: 'more' }) });
    // @ts-expect-error: whoever blocks says why
    defineHook({ name: 'gate', event: 'Stop', run: () => ({ decision: 'block' }) });
    // @ts-expect-error: `reson`
    defineHook({ name: 'gate', event: 'Stop', run: () => ({ decision: 'block', reson: 'no' }) });
    // @ts-expect-error: whoever asks says why
    defineHook({ name: 'gate', event: 'PreToolUse', run: () => ({ decision: 'ask' }) });
    // @ts-expect-error: a Stop hook cannot ask
    defineHook({ name: 'gate', event: 'Stop', run: () => ({ decision: 'ask', reason: 'no' }) });
    // @ts-expect-error: whoever blocks says why
    defineHook({ name: 'gate', event: 'UserPromptSubmit', run: () => ({ decision: 'block' }) });
  });
});

import { describe, expect, it } from 'vitest';
import type { Json } from '../../machines/vocabulary/json.ts';
import {
  defineHook,
  type Hook,
  type HookStep,
  runPostToolUse,
  runPreToolUse,
  runStop,
  runUserPromptSubmit,
} from '../../src/hooks/index.ts';
import { call, options, result, stopping, view } from './views.ts';

const valid = { validate: (value: Json) => ({ ok: true, value }) as const };

/** A PreToolUse hook that answers with anything, also what its type forbids. */
function pre(name: string, answer: unknown, matcher = '*'): Hook {
  const run = typeof answer === 'function' ? answer : () => answer;
  return defineHook({ name, event: 'PreToolUse', matcher, run: run as never });
}

describe('runPreToolUse', () => {
  it('without a hook for the tool, the call goes on as asked', async () => {
    const hooks = [pre('other', { decision: 'block', reason: 'no' }, 'echo|todo_write')];
    expect(await runPreToolUse(hooks, call, { ...options(), ...valid })).toEqual({
      verdict: 'proceed',
      reasons: [],
      context: [],
      input: { width: 10 },
    });
  });

  it('folds inputs in the order registered; each sees what the earlier ones left', async () => {
    const seen: unknown[] = [];
    const wider = (name: string) =>
      pre(name, (given: typeof call) => {
        seen.push([given.input, given.requestedInput]);
        return {
          decision: 'proceed',
          input: { width: (given.input as { width: number }).width + 1 },
        };
      });
    const folded = await runPreToolUse([wider('a'), wider('b')], call, { ...options(), ...valid });
    expect(folded.input).toEqual({ width: 12 });
    expect(seen).toEqual([
      [{ width: 10 }, { width: 10 }],
      [{ width: 11 }, { width: 10 }],
    ]);
  });

  it('validates after each replacement and takes the validated value', async () => {
    const inputs: unknown[] = [];
    const validate = (value: unknown) => {
      inputs.push(value);
      const { width } = value as { width: unknown };
      if (typeof width !== 'number')
        return { ok: false, message: 'width must be a number' } as const;
      return { ok: true, value: { width, fit: 'inside' } } as const;
    };
    const hooks = [
      pre('good', { decision: 'proceed', input: { width: 20 } }),
      pre('bad', { decision: 'proceed', input: { width: 'wide' } }),
      pre('last', (given: typeof call) => ({
        decision: 'proceed',
        context: JSON.stringify(given.input),
      })),
    ];
    expect(await runPreToolUse(hooks, call, { ...options(), validate })).toEqual({
      verdict: 'failed',
      reasons: [
        { source: 'bad', text: "The hook's answer is not valid: input: width must be a number" },
      ],
      context: [{ source: 'last', text: '{"width":20,"fit":"inside"}' }],
      input: { width: 20, fit: 'inside' },
    });
    expect(inputs).toEqual([{ width: 20 }, { width: 'wide' }]);
  });

  it('runs later hooks after a block, and reports every reason', async () => {
    const hooks = [
      pre('first', { decision: 'block', reason: 'not today' }),
      pre('second', { decision: 'ask', reason: 'are you sure' }),
      pre('third', { decision: 'proceed', context: 'seen' }),
    ];
    expect(await runPreToolUse(hooks, call, { ...options(), ...valid })).toEqual({
      verdict: 'block',
      reasons: [
        { source: 'first', text: 'not today' },
        { source: 'second', text: 'are you sure' },
      ],
      context: [{ source: 'third', text: 'seen' }],
      input: { width: 10 },
    });
  });

  const cyclic: Record<string, unknown> = { decision: 'proceed' };
  cyclic.input = cyclic;
  it.each([
    ['nothing', undefined, 'output: undefined is not JSON'],
    ['a text', 'block', 'output: Invalid input: expected object, received string'],
    ['no decision', { context: 'x' }, 'decision: Invalid'],
    ['an unknown decision', { decision: 'approve' }, 'decision: Invalid'],
    ['an unknown property', { decision: 'proceed', updatedInput: {} }, 'Unrecognized key'],
    ['no reason to block', { decision: 'block' }, 'reason: Invalid'],
    ['an empty reason', { decision: 'ask', reason: ' ' }, 'reason: must not be empty'],
    ['a function', { decision: 'proceed', input: { f: () => 1 } }, 'output.input.f: function'],
    ['a promise inside', { decision: 'proceed', input: [Promise.resolve(1)] }, 'a promise'],
    ['a cycle', cyclic, 'nested too deeply or cyclic'],
    ['not a number', { decision: 'proceed', input: Number.NaN }, 'output.input: number'],
    ['a date', { decision: 'proceed', input: new Date(0) }, 'an object with a class'],
  ])('%s is a failure, never no opinion', async (_, answer, problem) => {
    const folded = await runPreToolUse([pre('odd', answer)], call, { ...options(), ...valid });
    expect(folded.verdict).toBe('failed');
    expect(folded.reasons).toHaveLength(1);
    expect(folded.reasons[0]?.source).toBe('odd');
    expect(folded.reasons[0]?.text).toContain(problem);
    expect(folded.input).toEqual({ width: 10 });
  });

  it.each([
    ['throws', () => Promise.reject(new Error('boom')), 'The hook crashed: boom'],
    [
      'throws at once',
      () => {
        throw new Error('bang');
      },
      'The hook crashed: bang',
    ],
    [
      'throws what has no text',
      () => {
        throw Object.create(null);
      },
      'cannot be described',
    ],
  ])('a hook that %s closes the gate', async (_, run, text) => {
    const folded = await runPreToolUse([pre('odd', run)], call, { ...options(), ...valid });
    expect(folded.verdict).toBe('failed');
    expect(folded.reasons[0]?.text).toContain(text);
  });

  it('a validator that throws closes the gate', async () => {
    const validate = () => {
      throw new Error('schema broke');
    };
    const hooks = [pre('a', { decision: 'proceed', input: {} })];
    const folded = await runPreToolUse(hooks, call, { ...options(), validate });
    expect(folded.verdict).toBe('failed');
    expect(folded.reasons[0]?.text).toContain('schema broke');
  });

  it('speaks the language of the run', async () => {
    const hooks = [
      pre('odd', () => {
        throw new Error('坏了');
      }),
    ];
    const folded = await runPreToolUse(
      hooks,
      { ...call, locale: 'zh' },
      { ...options(), ...valid },
    );
    expect(folded.reasons).toEqual([{ source: 'odd', text: '钩子出错：坏了' }]);
  });

  it('a hook cannot change what others see, not even afterwards', async () => {
    const kept: { width: number }[] = [];
    const meddling = pre('meddling', (given: typeof call) => {
      expect(Object.isFrozen(given.input)).toBe(true);
      expect(() => (given.messages as unknown[]).push('x')).toThrow(TypeError);
      const input = { width: 11 };
      kept.push(input);
      return { decision: 'proceed', input };
    });
    const second = pre('second', (given: typeof call) => {
      for (const input of kept) input.width = 99;
      return { decision: 'proceed', context: JSON.stringify(given.input) };
    });
    const folded = await runPreToolUse([meddling, second], call, { ...options(), ...valid });
    expect(folded.input).toEqual({ width: 11 });
    expect(folded.context).toEqual([{ source: 'second', text: '{"width":11}' }]);
    expect(Object.isFrozen(call.messages)).toBe(false);
  });
});

describe('steps', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('observer');
      },
    ],
    ['rejects', () => Promise.reject(new Error('observer'))],
  ])('an onStep that %s harms nothing', async (_, onStep) => {
    const hooks = [pre('a', { decision: 'ask', reason: 'sure?' })];
    const folded = await runPreToolUse(hooks, call, { ...options(), onStep, ...valid });
    expect(folded.verdict).toBe('ask');
  });

  it('one step per hook, with its verdict', async () => {
    const steps: HookStep[] = [];
    const hooks = [
      pre('a', { decision: 'ask', reason: 'sure?' }),
      pre('b', { decision: 'block', reason: 'no' }),
    ];
    await runPreToolUse(hooks, call, { ...options(steps), ...valid });
    expect(steps.map(({ hook, verdict, ms }) => [hook, verdict, ms])).toEqual([
      ['a', 'ask', 5],
      ['b', 'block', 5],
    ]);
  });
});

describe('runPostToolUse', () => {
  const post = (name: string, run: unknown, matcher = '*') =>
    defineHook({ name, event: 'PostToolUse', matcher, run: run as never });

  it('never loses the result, whatever the hooks do', async () => {
    const hooks = [
      post('crash', () => {
        throw new Error('boom');
      }),
      post('nothing', () => undefined),
      post('odd', () => ({ content: 7 })),
      post('other', () => ({ content: 'gone' }), 'echo'),
    ];
    const after = await runPostToolUse(hooks, result, options());
    expect(after.content).toBe('scaled');
    expect(after.failures.map(({ hook, error }) => [hook, error.code])).toEqual([
      ['crash', 'hook_crashed'],
      ['nothing', 'hook_invalid'],
      ['odd', 'hook_invalid'],
    ]);
  });

  it('replacements fold in order, contexts add up', async () => {
    const hooks = [
      post('a', () => ({ content: 'A', context: 'from a' })),
      post('b', ({ content }: typeof result) => ({ content: `${content}B`, context: 'from b' })),
    ];
    expect(await runPostToolUse(hooks, result, options())).toEqual({
      content: 'AB',
      context: [
        { source: 'a', text: 'from a' },
        { source: 'b', text: 'from b' },
      ],
      failures: [],
    });
  });
});

describe('runStop and runUserPromptSubmit', () => {
  it('allow only when every hook answered allow', async () => {
    const allow = defineHook({ name: 'a', event: 'Stop', run: () => ({ decision: 'allow' }) });
    const odd = defineHook({ name: 'b', event: 'Stop', run: () => ({}) as never });
    expect((await runStop([allow], stopping, options())).verdict).toBe('allow');
    expect((await runStop([allow, odd], stopping, options())).verdict).toBe('failed');
  });

  it('ignores hooks of other events', async () => {
    const hooks = [pre('a', { decision: 'block', reason: 'no' })];
    expect((await runUserPromptSubmit(hooks, view, options())).verdict).toBe('proceed');
    expect((await runStop(hooks, stopping, options())).verdict).toBe('allow');
  });
});

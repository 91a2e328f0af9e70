import type { HookInputs, HookRunView, HookStep } from '../../src/hooks/index.ts';

export const view: HookRunView = {
  runId: 'run-1',
  prompt: 'resize a.png',
  turn: 2,
  messages: [{ role: 'user', content: 'resize a.png', context: [] }],
  todos: [],
  locale: 'en',
};

export const call: HookInputs['PreToolUse'] = {
  ...view,
  callId: '2.0',
  tool: 'image_scaling',
  input: { width: 10 },
  requestedInput: { width: 10 },
};

export const result: HookInputs['PostToolUse'] = {
  ...view,
  callId: '2.0',
  tool: 'image_scaling',
  input: { width: 10 },
  outcome: 'ok',
  content: 'scaled',
  ms: 12,
};

export const stopping: HookInputs['Stop'] = { ...view, answer: 'Done.', stopBlocks: 0 };

/** A clock that moves 5 ms each time it is read. */
export function steppingClock(): () => number {
  let time = 1_000;
  return () => {
    time += 5;
    return time - 5;
  };
}

/** A signal that never aborts. */
export const live = new AbortController().signal;

/** Options of a test's hooks; steps are added to `steps`. */
export function options(steps?: HookStep[]) {
  return {
    signal: live,
    now: steppingClock(),
    ...(steps ? { onStep: (step: HookStep) => void steps.push(step) } : {}),
  };
}

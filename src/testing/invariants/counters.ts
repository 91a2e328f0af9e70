import { stateOf } from '../../../machines/agent/agent.view.ts';
import type { Property } from '../properties.ts';

// Counters and limits.

type Counter = 'repairs' | 'stopBlocks' | 'toolCalls' | 'turns';

/** The counters of which a way back to the model must use up one. */
const COUNTERS_OF: Readonly<Record<string, readonly Counter[]>> = {
  // A reply that is sent back, or calls that all end before anything of them runs.
  'xstate.done.actor.parseReply': ['repairs', 'toolCalls'],
  'xstate.done.actor.stop': ['stopBlocks'],
};

export const limits: Property = {
  id: 'limits',
  text: 'No model request is made once a limit is reached, and none stops a run before it is.',
  violation: ({ before, event, after }) => {
    const { counters, limits, usage, clock, repeats, rest } = after.context;
    const reached = {
      'limit.turns': counters.turns > limits.turns,
      'limit.tool_calls': counters.toolCalls >= limits.toolCalls,
      'limit.tokens': usage.inputTokens + usage.outputTokens >= (limits.tokens ?? Infinity),
      'limit.time': clock.workedMs >= (limits.time ?? Infinity),
      'limit.repeated_call': repeats.most >= limits.repeatedCalls,
    };
    const isRequest =
      stateOf(after) === 'callModel.working' && stateOf(before) !== 'callModel.working';
    const passed = Object.entries(reached).find(([, is]) => is)?.[0];
    if (isRequest && passed) return `a request is made past ${passed}`;
    if (rest?.status !== 'suspended' || !rest.reason.startsWith('limit.')) return null;
    if (before.context.rest?.status === 'suspended' && event.type !== 'run.resume') return null;
    const isReached = {
      ...reached,
      'limit.turns': counters.turns >= limits.turns,
      'limit.repairs': counters.repairs > limits.repairs,
      'limit.stop_blocks': counters.stopBlocks > limits.stopBlocks,
    } as Readonly<Record<string, boolean>>;
    return isReached[rest.reason] ? null : `${rest.reason} is not reached`;
  },
};

export const progress: Property = {
  id: 'progress',
  text: 'Every way back to the model uses up a counter, or comes from a person.',
  violation: ({ before, event, after }) => {
    const from = before.context.counters;
    const to = after.context.counters;
    const goesThere =
      stateOf(after) === 'callModel.working' && stateOf(before) !== 'callModel.working';
    if (!goesThere || event.type === 'run.resume') return null;
    const names = COUNTERS_OF[event.type] ?? ['turns'];
    return names.some((name) => to[name] > from[name])
      ? null
      : `${names.join(' or ')} is not used up`;
  },
};

export const counters: Property = {
  id: 'counters',
  text: 'No counter ever goes back, and no limit is lowered.',
  violation: ({ before, after }) => {
    const from = before.context;
    const names = ['turns', 'toolCalls', 'repairs', 'stopBlocks'] as const;
    const back = names.find((name) => after.context.counters[name] < from.counters[name]);
    if (back) return `${back} went back`;
    const limits = ['turns', 'toolCalls', 'repairs', 'stopBlocks', 'tokens', 'time'] as const;
    const lower = limits.find(
      (name) => (after.context.limits[name] ?? 1e9) < (from.limits[name] ?? 1e9),
    );
    return lower ? `the limit ${lower} was lowered` : null;
  },
};

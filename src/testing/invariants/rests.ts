import type { Limits } from '../../../machines/agent/agent.types.ts';
import { stateOf } from '../../../machines/agent/agent.view.ts';
import type { Property } from '../properties.ts';

// How a run comes to rest, and goes on.

const REASONS: readonly string[] = [
  ...['turns', 'tool_calls', 'tokens', 'time', 'repairs', 'stop_blocks', 'repeated_call'].map(
    (name) => `limit.${name}`,
  ),
  'model_unavailable',
  'hook_failed',
];

/** The counted limit behind a reason, where one is. */
const LIMIT_NAMES: Readonly<Record<string, keyof Limits>> = {
  'limit.turns': 'turns',
  'limit.tool_calls': 'toolCalls',
  'limit.tokens': 'tokens',
  'limit.time': 'time',
  'limit.repairs': 'repairs',
  'limit.stop_blocks': 'stopBlocks',
};

/** By what a run may come to each rest: the event with its verdict, and whether a Stop hook is there. */
const WAYS: Readonly<Record<string, (at: string, hasStop: boolean) => boolean>> = {
  done: (at, hasStop) =>
    hasStop
      ? at === 'xstate.done.actor.stop allow'
      : at === 'xstate.done.actor.parseReply answer' || at.startsWith('run.resume'),
  failed: (at) =>
    /^xstate\.done\.actor\.userPromptSubmit (block|failed)$/u.test(at) ||
    /^xstate\.error\.actor\.(userPromptSubmit|callModel|parseReply) false$/u.test(at),
  cancelled: (at) => at.startsWith('run.cancel'),
  model_unavailable: (at) => at === 'xstate.error.actor.callModel true',
  hook_failed: (at) => /^xstate\.(done\.actor\.stop failed|error\.actor\.stop false)$/u.test(at),
  'limit.stop_blocks': (at) => at === 'xstate.done.actor.stop block',
  'limit.repairs': (at) => /^xstate\.done\.actor\.parseReply (malformed|calls)$/u.test(at),
  'goes on': (at) => at.startsWith('run.resume'),
};

export const ends: Property = {
  id: 'ends',
  text: 'A run is done only by an answer that no Stop hook holds, failed only by what cannot be mended.',
  violation: ({ before, event, after }) => {
    const { rest, hooks } = after.context;
    if (rest === before.context.rest) return null;
    const { verdict, kind } = (event.output ?? {}) as { verdict?: string; kind?: string };
    const retryable = (event.error as { details?: { retryable?: boolean } } | undefined)?.details;
    const at = `${event.type} ${verdict ?? kind ?? retryable?.retryable === true}`;
    const hasStop = hooks.some((hook) => hook.event === 'Stop');
    const how = rest?.status === 'suspended' ? rest.reason : (rest?.status ?? 'goes on');
    return (WAYS[how]?.(at, hasStop) ?? true) ? null : `${how} after ${at}`;
  },
};

export const failures: Property = {
  id: 'failures',
  text: 'A failed port ends the run, lets it rest, or closes its gate: it never goes on as if nothing were.',
  violation: ({ event, after }) => {
    const { rest } = after.context;
    const details = (event.error as { details?: { retryable?: boolean } } | undefined)?.details;
    const status = rest?.status ?? null;
    if (event.type === 'xstate.error.actor.callModel')
      return status === (details?.retryable === true ? 'suspended' : 'failed')
        ? null
        : `it is ${status}`;
    if (/^xstate\.error\.actor\.(userPromptSubmit|parseReply)$/u.test(event.type))
      return status === 'failed' ? null : `it is ${status}`;
    if (event.type === 'xstate.error.actor.stop')
      return status === 'suspended' ? null : `it is ${status}`;
    return null;
  },
};

export const orders: Property = {
  id: 'orders',
  text: 'A resume that raises what stopped the run goes on where it must; one that does not changes nothing.',
  violation: ({ before, event, after }) => {
    const { rest } = before.context;
    if (event.type !== 'run.resume') return null;
    if (rest?.status !== 'suspended') return after.context === before.context ? null : 'it changed';
    const state = stateOf(after);
    if (after.context === before.context) {
      const limit = LIMIT_NAMES[rest.reason];
      const wanted = (event.limits as Partial<Limits>)[limit ?? 'turns'];
      const now = before.context.limits[limit ?? 'turns'];
      const isRaised =
        limit === undefined || (typeof wanted === 'number' && wanted > (now ?? Infinity));
      return isRaised ? 'it is refused although it raises the limit' : null;
    }
    if (after.context.rest?.status === 'suspended') return null;
    if (rest.reason !== 'hook_failed')
      return state === 'callModel.working' ? null : `it is in ${state}`;
    return /^stopHook\.|^done$/u.test(state) ? null : `it is in ${state}`;
  },
};

export const cancel: Property = {
  id: 'cancel',
  text: 'After run.cancel nothing runs and nothing is open.',
  violation: ({ event, after }) => {
    if (event.type !== 'run.cancel') return null;
    const isOver = after.status === 'done' && after.context.rest?.status === 'cancelled';
    if (!isOver) return 'the run goes on';
    const running = Object.keys(after.children).length + after.context.calls.length;
    return running === 0 ? null : 'something is still open';
  },
};

export const reason: Property = {
  id: 'reason',
  text: 'A run at rest says how and why, in one of the known ways.',
  violation: ({ after }) => {
    const { rest } = after.context;
    const isOver = after.status === 'done' || stateOf(after) === 'suspended';
    if (rest === null) return isOver ? 'it does not say' : null;
    if (!isOver) return 'it says so and is not at rest';
    if (rest.status === 'suspended')
      return REASONS.includes(rest.reason) ? null : `unknown reason ${rest.reason}`;
    return rest.status === stateOf(after) ? null : `it says ${rest.status} in ${stateOf(after)}`;
  },
};

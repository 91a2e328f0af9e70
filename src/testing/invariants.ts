import type { Call, Limits } from '../../machines/agent/agent.types.ts';
import { stateOf } from '../../machines/agent/agent.view.ts';
import type { Condition, Policies } from '../../machines/permission/policies.ts';
import type { Approval } from '../../machines/permission/reasons.ts';
import { canonicalJson } from '../../machines/vocabulary/json.ts';
import type { Message } from '../../machines/vocabulary/messages.ts';
import { eventually, type Property, type Taken } from './properties.ts';
import type { AgentSnapshot, WorldEvent } from './world.ts';

type Step = Taken;

const calls = (snapshot: AgentSnapshot): readonly Call[] => snapshot.context.calls;

const callBefore = (step: Step, id: string): Call | undefined =>
  calls(step.before).find((call) => call.id === id);

/** Calls that an edge starts. */
function started(step: Step): readonly Call[] {
  return calls(step.after).filter(
    (call) => call.stage === 'running' && callBefore(step, call.id)?.stage !== 'running',
  );
}

/**
 * The approvals a call needs by the facts an inspection just gave, worked out from the policies
 * anew and not by the evaluator; null where nothing can allow it.
 */
function needs(
  call: Call,
  facts: Readonly<Record<string, unknown>>,
  policies: Policies,
): readonly (Approval | null)[] | null {
  const policy = Object.entries(policies).find(([tool]) => tool === call.tool)?.[1];
  if (policy === undefined || policy === 'deny' || facts.touchesPrivate !== false) return null;
  const own: (Approval | null)[] = [];
  if (policy === 'ask') own.push('use');
  if (typeof policy === 'object') {
    for (const { when, action, approval } of policy.rules) {
      if (!when.every((condition) => isMet(condition, facts[condition.fact]))) continue;
      if (action === 'deny') return null;
      own.push(approval);
    }
  }
  if (call.hookQuestions.length > 0) own.push('hook');
  if (call.outcomeUnknown) own.push('repeat');
  return own;
}

/** A fact that is missing, or no number where one is compared, counts against the call. */
function isMet(condition: Condition, value: unknown): boolean {
  if (value === undefined) return true;
  if ('is' in condition) return value === condition.is;
  if (typeof value !== 'number') return true;
  return 'above' in condition ? value > condition.above : value < condition.below;
}

function inspected(event: WorldEvent, id: string): Readonly<Record<string, unknown>> | null {
  if (event.type !== 'xstate.done.actor.inspectFacts') return null;
  const { facts, at } = event.output as {
    at: number;
    facts: Record<string, { ok: boolean; facts?: Record<string, unknown> }>;
  };
  const found = facts[id];
  return found?.ok === true && found.facts ? { ...found.facts, at } : null;
}

function startProblem(step: Step, { id }: Call): string | null {
  const call = callBefore(step, id);
  const facts = inspected(step.event, id);
  if (call === undefined || facts === null) return `${id} starts without facts just looked up`;
  if (call.stage !== 'live' || call.result !== null)
    return `${id} starts although it is ${call.stage}`;
  const missing = missingOf(call, facts, step.before.context.policies);
  if (missing === null) return `${id} starts although nothing can allow it`;
  return missing.length > 0 ? `${id} starts without approval for ${missing.join(', ')}` : null;
}

/**
 * The approvals that a call lacks by what was just looked up; null where nothing can allow it, or
 * where an approval that was given has expired.
 */
function missingOf(
  call: Call,
  facts: Readonly<Record<string, unknown>>,
  policies: Policies,
): readonly (Approval | null)[] | null {
  const { at, ...touched } = facts;
  const { hookQuestions, outcomeUnknown, tool, input, starts } = call;
  const shown = canonicalJson({
    tool,
    input,
    facts: { ...touched, toolName: tool, hookQuestions, outcomeUnknown },
    attempt: starts + 1,
  });
  const bound = call.grants.filter((grant) => grant.shown === shown);
  if (bound.some(({ expiresAt }) => expiresAt !== null && expiresAt <= (at as number))) return null;
  const given = bound.flatMap(({ approvals }) => approvals);
  const needed = needs(call, touched, policies);
  return needed?.filter((approval) => approval === null || !given.includes(approval)) ?? null;
}

/** Whether every call has exactly one observation, in order, right after its reply. */
function observationProblem(messages: readonly Message[]): string | null {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'observation') {
      if (open.shift() !== message.callId) return `observation of ${message.callId} out of place`;
      continue;
    }
    if (open.length > 0) return `no observation of ${open.join(', ')}`;
    if (message.role === 'assistant') open = message.calls.map(({ id }) => id);
  }
  return open.length > 0 ? `no observation of ${open.join(', ')}` : null;
}

function first(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}

/** A hook answer that must close its gate. */
function closesGate({ type, output }: WorldEvent, name: string): boolean {
  if (type === `xstate.error.actor.${name}`) return true;
  const { verdict } = (output ?? {}) as { verdict?: string };
  return type === `xstate.done.actor.${name}` && (verdict === 'block' || verdict === 'failed');
}

/** The counter that a way back to the model must use up. */
const COUNTER_OF: Readonly<Record<string, 'repairs' | 'stopBlocks' | 'turns'>> = {
  'xstate.done.actor.parseReply': 'repairs',
  'xstate.done.actor.stop': 'stopBlocks',
};

const REASONS: readonly string[] = [
  ...['turns', 'tool_calls', 'tokens', 'time', 'repairs', 'stop_blocks', 'repeated_call'].map(
    (name) => `limit.${name}`,
  ),
  'model_unavailable',
  'hook_failed',
];

const HOOK_ACTORS: Readonly<Record<string, string>> = {
  userPromptSubmit: 'UserPromptSubmit',
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  stop: 'Stop',
};

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

/** The invariants of the design, on every edge. */
export const INVARIANTS: readonly Property[] = [
  {
    id: 'gate',
    text: 'A call starts only right after its facts were looked up, with every approval they need.',
    violation: (step) => first(started(step).map((call) => startProblem(step, call))),
  },
  {
    id: 'repeat',
    text: 'A call whose start left no result starts again only after a person granted the repeat.',
    violation: (step, memory) => {
      const owed = memory as readonly string[];
      const again = started(step).find(({ id }) => owed.includes(id));
      return again === undefined ? null : `${again.id} runs again without a grant of the repeat`;
    },
    memory: {
      initial: [],
      next: (memory, { event, after }) => {
        const { type, callId, approvals, output } = event;
        const isGrant = type === 'permission.grant' && (approvals as string[]).includes('repeat');
        const left = (memory as readonly string[]).filter(
          (id) => !(isGrant && id === callId) && calls(after).some((call) => call.id === id),
        );
        const tool = /^xstate\.done\.actor\.tool\.(.+)$/u.exec(type)?.[1];
        const isUnknown = (output as { outcome?: string } | undefined)?.outcome === 'unknown';
        const isOpen = calls(after).some(({ id, result }) => id === tool && result === null);
        return tool !== undefined && isUnknown && isOpen
          ? [...new Set([...left, tool])].sort()
          : left;
      },
    },
  },
  {
    id: 'actors',
    text: 'A tool has an actor exactly while its call runs; a hook has one only where a hook applies.',
    violation: ({ after }) => {
      const running = calls(after).flatMap(({ id, stage }) =>
        stage === 'running' ? [`tool.${id}`] : [],
      );
      const names = Object.keys(after.children);
      const tools = names.filter((name) => name.startsWith('tool.'));
      if (tools.sort().join() !== running.sort().join())
        return `actors of ${tools.join() || 'no tool'}`;
      const idle = names.find((name) => {
        const event = HOOK_ACTORS[name];
        return event !== undefined && !after.context.hooks.some((hook) => hook.event === event);
      });
      return idle === undefined ? null : `${idle} runs and no hook applies`;
    },
  },
  {
    id: 'reply',
    text: 'A reply is taken as what it is: an answer, calls opened once each, or sent back for repair.',
    violation: (step) => {
      if (step.event.type !== 'xstate.done.actor.parseReply') return null;
      const {
        kind,
        answer,
        calls: asked = [],
      } = step.event.output as {
        kind: string;
        answer?: string;
        calls?: readonly { tool: string }[];
      };
      const { context } = step.after;
      const said = context.messages.slice(step.before.context.messages.length);
      const opened = said.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
      if (kind === 'answer')
        return context.answer === answer && said.length === 1 ? null : 'the answer is not taken';
      const isBatch = asked.length > 0 && asked.length <= context.limits.callsPerReply;
      if (kind === 'calls' && isBatch)
        return opened.map(({ tool }) => tool).join() === asked.map(({ tool }) => tool).join()
          ? null
          : 'the calls are not the ones asked for';
      return opened.length === 0 && said.at(-1)?.role === 'repair' ? null : 'it is not sent back';
    },
  },
  {
    id: 'hooks-run',
    text: 'No state is passed by while a hook of its event applies.',
    violation: ({ before, event, after }) => {
      const has = (name: string) => after.context.hooks.some((hook) => hook.event === name);
      const state = stateOf(after);
      const isParsed = event.type === 'xstate.done.actor.parseReply';
      if (isParsed && has('PreToolUse') && /^(awaitPermission|execute)/u.test(state))
        return 'PreToolUse was passed by';
      if (isParsed && has('Stop') && state === 'done') return 'Stop was passed by';
      const ran = calls(before).some(({ stage }) => stage === 'running');
      const isBack = state === 'callModel.working' || state === 'suspended';
      return ran && isBack && has('PostToolUse') ? 'PostToolUse was passed by' : null;
    },
  },
  {
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
  },
  {
    id: 'questions',
    text: 'A person is asked exactly about the calls that lack an approval, and all of them at once.',
    violation: (step) => {
      const { context } = step.after;
      if (step.event.type !== 'xstate.done.actor.inspectFacts') return null;
      const verdicts = calls(step.before)
        .filter(({ stage }) => stage === 'live')
        .flatMap((call) => {
          const facts = inspected(step.event, call.id);
          const missing = facts === null ? null : missingOf(call, facts, context.policies);
          return missing === null ? [] : [{ id: call.id, missing }];
        });
      const lacking = verdicts.filter(({ missing }) => missing.length > 0).map(({ id }) => id);
      const asked = calls(step.after).flatMap(({ id, stage }) => (stage === 'asked' ? [id] : []));
      if (lacking.join() !== asked.join()) return `asked about ${asked.join() || 'none'}`;
      if (asked.length > 0) return null;
      const running = calls(step.after).flatMap(({ id, stage }) =>
        stage === 'running' ? [id] : [],
      );
      return running.length === verdicts.length ? null : 'an allowed call does not run';
    },
  },
  {
    id: 'settled',
    text: 'A settled call never starts again and never changes its outcome.',
    violation: (step) =>
      first(
        calls(step.after).map((call) => {
          const was = callBefore(step, call.id)?.result;
          if (!was) return null;
          return call.result?.outcome === was.outcome ? null : `${call.id} was ${was.outcome}`;
        }),
      ),
  },
  {
    id: 'grants',
    text: 'Only a person adds a grant, and only to the call it names.',
    violation: (step) =>
      first(
        calls(step.after).map((call) => {
          const had = callBefore(step, call.id)?.grants.length ?? 0;
          if (call.grants.length <= had) return null;
          const { type, callId } = step.event;
          return type === 'permission.grant' && callId === call.id
            ? null
            : `${call.id} has a new grant`;
        }),
      ),
  },
  {
    id: 'pre-hook',
    text: 'A call whose PreToolUse hook blocks, fails or does not answer is closed.',
    violation: (step) => {
      const { type, output } = step.event;
      if (!/\.actor\.preToolUse$/u.test(type)) return null;
      const verdicts = (output ?? {}) as Record<string, { verdict: string }>;
      return first(
        calls(step.before)
          .filter(({ stage }) => stage === 'live')
          .map(({ id }) => {
            const verdict = verdicts[id]?.verdict;
            if (verdict === 'proceed' || verdict === 'ask') return null;
            const wanted = verdict === 'block' ? 'blocked' : 'hook_failed';
            return outcomeOf(step.after, id) === wanted ? null : `${id} is not ${wanted}`;
          }),
      );
    },
  },
  {
    id: 'prompt-hook',
    text: 'A prompt that is not let through ends the run before any model request.',
    violation: (step) => {
      if (!closesGate(step.event, 'userPromptSubmit')) return null;
      const { rest, counters } = step.after.context;
      return rest?.status === 'failed' && counters.turns === 0 ? null : 'the run goes on';
    },
  },
  {
    id: 'post-hook',
    text: 'A crash at PostToolUse loses no result.',
    violation: (step) => {
      if (step.event.type !== 'xstate.error.actor.postToolUse') return null;
      return first(
        calls(step.before).map(({ id, result }) => {
          const seen = observation(step.after, id);
          return seen?.content === result?.content ? null : `${id} lost its result`;
        }),
      );
    },
  },
  {
    id: 'hook-words',
    text: 'What a hook adds or replaces reaches the history; a PostToolUse crash is recorded.',
    violation: (step) => {
      const { type, output } = step.event;
      const { messages, faults } = step.after.context;
      if (type === 'xstate.error.actor.postToolUse')
        return faults.length > step.before.context.faults.length
          ? null
          : 'the crash is not recorded';
      if (type === 'xstate.done.actor.userPromptSubmit') {
        const { verdict, context } = output as { verdict: string; context: unknown };
        const user = messages.find(({ role }) => role === 'user');
        const beside = user?.role === 'user' ? user.context : [];
        if (verdict !== 'proceed') return null;
        return canonicalJson(beside) === canonicalJson(context) ? null : 'the context is lost';
      }
      if (type !== 'xstate.done.actor.postToolUse') return null;
      const verdicts = output as Readonly<Record<string, { content: string }>>;
      return first(
        calls(step.before).map(({ id, result }) => {
          const ran = ['ok', 'error', 'timeout'].includes(result?.outcome ?? '');
          const wanted = ran ? verdicts[id]?.content : result?.content;
          return observation(step.after, id)?.content === wanted
            ? null
            : `${id} shows something else`;
        }),
      );
    },
  },
  {
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
  },
  {
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
  },
  {
    id: 'orders',
    text: 'A resume that raises what stopped the run goes on where it must; one that does not changes nothing.',
    violation: ({ before, event, after }) => {
      const { rest } = before.context;
      if (event.type !== 'run.resume') return null;
      if (rest?.status !== 'suspended')
        return after.context === before.context ? null : 'it changed';
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
  },
  {
    id: 'answers',
    text: 'An answer that fits an open question is taken.',
    violation: ({ before, event, after }) => {
      if (!/^permission\./u.test(event.type) || event.label.startsWith('stray')) return null;
      return after.context === before.context ? 'nothing changed' : null;
    },
  },
  {
    id: 'stop-hook',
    text: 'A Stop hook that blocks or fails never passes as allow.',
    violation: (step) =>
      closesGate(step.event, 'stop') && stateOf(step.after) === 'done' ? 'the run is done' : null,
  },
  {
    id: 'observations',
    text: 'At every model request and at every rest, each call has exactly one observation.',
    violation: ({ after }) => {
      const { rest, messages } = after.context;
      if (rest === null && stateOf(after) !== 'callModel.working') return null;
      return observationProblem(messages);
    },
  },
  {
    id: 'denied',
    text: 'A call that did not run is never observed as ok.',
    violation: (step) =>
      first(
        calls(step.before).map((call) => {
          const seen = observation(step.after, call.id);
          if (seen?.outcome !== 'ok') return null;
          return call.starts > 0 ? null : `${call.id} is ok and never started`;
        }),
      ),
  },
  {
    id: 'prompt',
    text: "The user's words stay as they were given.",
    violation: ({ after }) => {
      const users = after.context.messages.filter(({ role }) => role === 'user');
      return users.length === 1 && users[0]?.role === 'user' && users[0].content === 'task'
        ? null
        : 'the words changed';
    },
  },
  {
    id: 'progress',
    text: 'Every way back to the model uses up a counter, or comes from a person.',
    violation: ({ before, event, after }) => {
      const from = before.context.counters;
      const to = after.context.counters;
      const goesThere =
        stateOf(after) === 'callModel.working' && stateOf(before) !== 'callModel.working';
      if (!goesThere || event.type === 'run.resume') return null;
      const counter = COUNTER_OF[event.type] ?? 'turns';
      return to[counter] > from[counter] ? null : `${counter} is not used up`;
    },
  },
  {
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
  },
  {
    id: 'cancel',
    text: 'After run.cancel nothing runs and nothing is open.',
    violation: ({ event, after }) => {
      if (event.type !== 'run.cancel') return null;
      const isOver = after.status === 'done' && after.context.rest?.status === 'cancelled';
      if (!isOver) return 'the run goes on';
      const running = Object.keys(after.children).length + after.context.calls.length;
      return running === 0 ? null : 'something is still open';
    },
  },
  {
    id: 'stray',
    text: 'An answer that nobody asked for, or that fits no more, changes nothing.',
    violation: ({ before, event, after }) => {
      if (!event.label.startsWith('stray')) return null;
      return after.context === before.context ? null : 'the run changed';
    },
  },
  {
    id: 'siblings',
    text: "What happens to one call of a batch never changes another's outcome, grants or input.",
    violation: ({ before, event, after }) => {
      const tool = /^xstate\.(?:done|error)\.actor\.tool\.(.+)$/u.exec(event.type)?.[1];
      const about = tool ?? (/^permission\./u.test(event.type) ? event.callId : undefined);
      if (about === undefined) return null;
      const part = ({ input, grants, result }: Call) => canonicalJson({ input, grants, result });
      return first(
        calls(before)
          .filter(({ id }) => id !== about)
          .map((call) => {
            const now = calls(after).find(({ id }) => id === call.id);
            return now === undefined || part(now) === part(call) ? null : `${call.id} changed too`;
          }),
      );
    },
  },
  {
    id: 'input',
    text: 'What starts is the input that the hooks left and that was decided on.',
    violation: (step) =>
      first(
        started(step).map((call) => {
          const decided = callBefore(step, call.id)?.input;
          return canonicalJson(call.input) === canonicalJson(decided) ? null : `${call.id} changed`;
        }),
      ),
  },
  {
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
  },
  {
    id: 'no-throw',
    text: 'Nothing that an actor answers or a person sends breaks the machine.',
    violation: ({ after }) => ((after.status as string) === 'error' ? String(after.error) : null),
  },
  {
    id: 'alive',
    text: 'A run that has not come to rest has an actor to wait for.',
    violation: ({ after }) => {
      if (after.context.rest !== null) return null;
      return Object.keys(after.children).length > 0
        ? null
        : `nothing to wait for in ${stateOf(after)}`;
    },
  },
];

/** Left alone, no run goes on for ever. */
export const COMES_TO_REST: Property = eventually(
  'rest',
  'a run that is left alone comes to rest, or waits for a person',
  (snapshot) => snapshot.context.rest !== null || stateOf(snapshot) === 'awaitPermission.asking',
);

function outcomeOf(snapshot: AgentSnapshot, id: string): string | undefined {
  const call = calls(snapshot).find((candidate) => candidate.id === id);
  return call?.result?.outcome ?? observation(snapshot, id)?.outcome;
}

function observation(snapshot: AgentSnapshot, id: string) {
  const seen = snapshot.context.messages.find(
    (message) => message.role === 'observation' && message.callId === id,
  );
  return seen?.role === 'observation' ? seen : undefined;
}

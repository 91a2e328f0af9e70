import { stateOf } from '../../../machines/agent/agent.view.ts';
import { canonicalJson } from '../../../machines/vocabulary/json.ts';
import type { Property } from '../properties.ts';
import { callsOf, firstProblem, observationOf, outcomeOf } from '../taken.ts';
import type { WorldEvent } from '../world/world.types.ts';

// Hooks and their answers.

/** A hook answer that must close its gate. */
function closesGate({ type, output }: WorldEvent, name: string): boolean {
  if (type === `xstate.error.actor.${name}`) return true;
  const { verdict } = (output ?? {}) as { verdict?: string };
  return type === `xstate.done.actor.${name}` && (verdict === 'block' || verdict === 'failed');
}

export const hooksRun: Property = {
  id: 'hooks-run',
  text: 'No state is passed by while a hook of its event applies.',
  violation: ({ before, event, after }) => {
    const has = (name: string) => after.context.hooks.some((hook) => hook.event === name);
    const state = stateOf(after);
    const isParsed = event.type === 'xstate.done.actor.parseReply';
    if (isParsed && has('PreToolUse') && /^(awaitPermission|execute)/u.test(state))
      return 'PreToolUse was passed by';
    if (isParsed && has('Stop') && state === 'done') return 'Stop was passed by';
    const ran = callsOf(before).some(
      ({ stage, result }) =>
        stage === 'running' || ['ok', 'error', 'timeout'].includes(result?.outcome ?? ''),
    );
    const isBack = state === 'callModel.working' || state === 'suspended';
    const hasPassed = /\.actor\.postToolUse$/u.test(event.type);
    return ran && isBack && !hasPassed && has('PostToolUse') ? 'PostToolUse was passed by' : null;
  },
};

export const preHook: Property = {
  id: 'pre-hook',
  text: 'A call whose PreToolUse hook blocks, fails or does not answer is closed.',
  violation: (taken) => {
    const { type, output } = taken.event;
    if (!/\.actor\.preToolUse$/u.test(type)) return null;
    const verdicts = (output ?? {}) as Record<string, { verdict: string }>;
    return firstProblem(
      callsOf(taken.before)
        .filter(({ stage }) => stage === 'live')
        .map(({ id }) => {
          const verdict = verdicts[id]?.verdict;
          if (verdict === 'proceed' || verdict === 'ask') return null;
          const wanted = verdict === 'block' ? 'blocked' : 'hook_failed';
          return outcomeOf(taken.after, id) === wanted ? null : `${id} is not ${wanted}`;
        }),
    );
  },
};

export const promptHook: Property = {
  id: 'prompt-hook',
  text: 'A prompt that is not let through ends the run before any model request.',
  violation: (taken) => {
    if (!closesGate(taken.event, 'userPromptSubmit')) return null;
    const { rest, counters } = taken.after.context;
    return rest?.status === 'failed' && counters.turns === 0 ? null : 'the run goes on';
  },
};

export const postHook: Property = {
  id: 'post-hook',
  text: 'A crash at PostToolUse loses no result.',
  violation: (taken) => {
    if (taken.event.type !== 'xstate.error.actor.postToolUse') return null;
    return firstProblem(
      callsOf(taken.before).map(({ id, result }) => {
        const seen = observationOf(taken.after, id);
        return seen?.content === result?.content ? null : `${id} lost its result`;
      }),
    );
  },
};

export const hookWords: Property = {
  id: 'hook-words',
  text: 'What a hook adds or replaces reaches the history; a PostToolUse crash is recorded.',
  violation: (taken) => {
    const { type, output } = taken.event;
    const { messages, faults } = taken.after.context;
    if (type === 'xstate.error.actor.postToolUse')
      return faults.length > taken.before.context.faults.length
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
    return firstProblem(
      callsOf(taken.before).map(({ id, result }) => {
        const ran = ['ok', 'error', 'timeout'].includes(result?.outcome ?? '');
        const wanted = ran ? verdicts[id]?.content : result?.content;
        return observationOf(taken.after, id)?.content === wanted
          ? null
          : `${id} shows something else`;
      }),
    );
  },
};

export const stopHook: Property = {
  id: 'stop-hook',
  text: 'A Stop hook that blocks or fails never passes as allow.',
  violation: (taken) =>
    closesGate(taken.event, 'stop') && stateOf(taken.after) === 'done' ? 'the run is done' : null,
};

import type { Call } from '../../../machines/agent/agent.types.ts';
import { stateOf } from '../../../machines/agent/agent.view.ts';
import { canonicalJson } from '../../../machines/vocabulary/json.ts';
import type { Message } from '../../../machines/vocabulary/messages.ts';
import type { Property } from '../properties.ts';
import { callBefore, callsOf, firstProblem, observationOf } from '../taken.ts';

// Calls and the history, from the reply to the observation.

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

export const reply: Property = {
  id: 'reply',
  text: 'A reply is taken as what it is: an answer, calls opened once each, or sent back for repair.',
  violation: (taken) => {
    if (taken.event.type !== 'xstate.done.actor.parseReply') return null;
    const {
      kind,
      answer,
      calls: asked = [],
    } = taken.event.output as {
      kind: string;
      answer?: string;
      calls?: readonly { tool: string }[];
    };
    const { context } = taken.after;
    const said = context.messages.slice(taken.before.context.messages.length);
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
};

export const settled: Property = {
  id: 'settled',
  text: 'A settled call never starts again and never changes its outcome.',
  violation: (taken) =>
    firstProblem(
      callsOf(taken.after).map((call) => {
        const was = callBefore(taken, call.id)?.result;
        if (!was) return null;
        return call.result?.outcome === was.outcome ? null : `${call.id} was ${was.outcome}`;
      }),
    ),
};

export const denied: Property = {
  id: 'denied',
  text: 'A call that did not run is never observed as ok.',
  violation: (taken) =>
    firstProblem(
      callsOf(taken.before).map((call) => {
        const seen = observationOf(taken.after, call.id);
        if (seen?.outcome !== 'ok') return null;
        return call.starts > 0 ? null : `${call.id} is ok and never started`;
      }),
    ),
};

export const siblings: Property = {
  id: 'siblings',
  text: "What happens to one call of a batch never changes another's outcome, grants or input.",
  violation: ({ before, event, after }) => {
    const tool = /^xstate\.(?:done|error)\.actor\.tool\.(.+)$/u.exec(event.type)?.[1];
    const about = tool ?? (/^permission\./u.test(event.type) ? event.callId : undefined);
    if (about === undefined) return null;
    const part = ({ input, grants, result }: Call) => canonicalJson({ input, grants, result });
    return firstProblem(
      callsOf(before)
        .filter(({ id }) => id !== about)
        .map((call) => {
          const now = callsOf(after).find(({ id }) => id === call.id);
          return now === undefined || now === call || part(now) === part(call)
            ? null
            : `${call.id} changed too`;
        }),
    );
  },
};

export const observations: Property = {
  id: 'observations',
  text: 'At every model request and at every rest, each call has exactly one observation.',
  violation: ({ after }) => {
    const { rest, messages } = after.context;
    if (rest === null && stateOf(after) !== 'callModel.working') return null;
    return observationProblem(messages);
  },
};

export const prompt: Property = {
  id: 'prompt',
  text: "The user's words stay as they were given.",
  violation: ({ after }) => {
    const users = after.context.messages.filter(({ role }) => role === 'user');
    return users.length === 1 && users[0]?.role === 'user' && users[0].content === 'task'
      ? null
      : 'the words changed';
  },
};

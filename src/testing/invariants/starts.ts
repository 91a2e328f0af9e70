import type { Call } from '../../../machines/agent/agent.types.ts';
import { canonicalJson } from '../../../machines/vocabulary/json.ts';
import type { Property } from '../properties.ts';
import { callBefore, callsOf, firstProblem, startedCalls, type Taken } from '../taken.ts';
import { inspected, missingOf } from './approvals.ts';

// What must be so for a call to start.

function startProblem(taken: Taken, { id }: Call): string | null {
  const call = callBefore(taken, id);
  const facts = inspected(taken.event, id);
  if (call === undefined || facts === null) return `${id} starts without facts just looked up`;
  if (call.stage !== 'live' || call.result !== null)
    return `${id} starts although it is ${call.stage}`;
  const missing = missingOf(call, facts, taken.before.context.policies);
  if (missing === null) return `${id} starts although nothing can allow it`;
  return missing.length > 0 ? `${id} starts without approval for ${missing.join(', ')}` : null;
}

export const gate: Property = {
  id: 'gate',
  text: 'A call starts only right after its facts were looked up, with every approval they need.',
  violation: (taken) => firstProblem(startedCalls(taken).map((call) => startProblem(taken, call))),
};

export const repeat: Property = {
  id: 'repeat',
  text: 'A call whose start left no result starts again only after a person granted the repeat.',
  violation: (taken, memory) => {
    const owed = memory as readonly string[];
    const again = startedCalls(taken).find(({ id }) => owed.includes(id));
    return again === undefined ? null : `${again.id} runs again without a grant of the repeat`;
  },
  memory: {
    initial: [],
    next: (memory, { event, after }) => {
      const { type, callId, approvals, output } = event;
      const isGrant = type === 'permission.grant' && (approvals as string[]).includes('repeat');
      const left = (memory as readonly string[]).filter(
        (id) => !(isGrant && id === callId) && callsOf(after).some((call) => call.id === id),
      );
      const tool = /^xstate\.done\.actor\.tool\.(.+)$/u.exec(type)?.[1];
      const isUnknown = (output as { outcome?: string } | undefined)?.outcome === 'unknown';
      const isOpen = callsOf(after).some(({ id, result }) => id === tool && result === null);
      return tool !== undefined && isUnknown && isOpen
        ? [...new Set([...left, tool])].sort()
        : left;
    },
  },
};

export const input: Property = {
  id: 'input',
  text: 'What starts is the input that the hooks left and that was decided on.',
  violation: (taken) =>
    firstProblem(
      startedCalls(taken).map((call) => {
        const decided = callBefore(taken, call.id)?.input;
        return canonicalJson(call.input) === canonicalJson(decided) ? null : `${call.id} changed`;
      }),
    ),
};

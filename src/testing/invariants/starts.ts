import type { Call } from '../../../machines/agent/agent.types.ts';
import { canonicalJson } from '../../../machines/vocabulary/json.ts';
import type { Property } from '../properties.ts';
import {
  callBefore,
  callsOf,
  firstProblem,
  notStartedCall,
  startedCalls,
  type Taken,
  toolOutcome,
} from '../taken.ts';
import { inspected, missingOf, shownAs } from './approvals.ts';

// What must be so for a call to start.

function startProblem(taken: Taken, { id }: Call): string | null {
  const call = callBefore(taken, id);
  const facts = inspected(taken, id);
  if (call === undefined || facts === null) return `${id} starts without facts just looked up`;
  if (call.stage !== 'live' || call.result !== null)
    return `${id} starts although it is ${call.stage}`;
  const missing = missingOf(call, facts, taken.before.context);
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
  text: 'A tool is started with what was decided on: input, facts, attempt, and the end of its approval.',
  violation: (taken) =>
    firstProblem(
      startedCalls(taken).map(({ id }) => {
        const call = callBefore(taken, id);
        const facts = inspected(taken, id);
        if (call === undefined || facts === null) return `${id} starts without facts`;
        const given = startedWith(taken, id);
        const wanted = decidedOn(call, facts);
        const other = Object.entries(wanted).find(
          ([name, value]) => canonicalJson(given[name]) !== canonicalJson(value),
        );
        return other === undefined ? null : `${id} is started with another ${other[0]}`;
      }),
    ),
};

/** What the actor of a tool was really given. */
function startedWith({ after }: Taken, id: string): Readonly<Record<string, unknown>> {
  const actor = Object.entries(after.children).find(([name]) => name === `tool.${id}`)?.[1];
  return (actor?.getSnapshot() as { input?: Record<string, unknown> } | undefined)?.input ?? {};
}

function decidedOn(call: Call, { at: _, ...found }: Readonly<Record<string, unknown>>) {
  const { tool, input: decided, starts, hookQuestions, outcomeUnknown, grants } = call;
  const ends = grants.flatMap(({ shown, expiresAt }) =>
    expiresAt !== null && shown === shownAs(call, found) ? [expiresAt] : [],
  );
  return {
    tool,
    input: decided,
    facts: { ...found, toolName: tool, hookQuestions, outcomeUnknown },
    attempt: starts + 1,
    approvedUntil: ends.length === 0 ? null : Math.min(...ends),
  };
}

export const notStarted: Property = {
  id: 'not-started',
  text: 'A start that does not come about uses up no attempt and no approval, and is no end of its call.',
  violation: (taken) => {
    const id = notStartedCall(taken);
    if (id === null) return null;
    const part = (call: Call | undefined, starts: number) =>
      call && canonicalJson({ ...call, stage: 'live', starts, setbacks: 0 });
    const before = callBefore(taken, id);
    const after = callsOf(taken.after).find((call) => call.id === id);
    return part(after, after?.starts ?? 0) === part(before, (before?.starts ?? 0) - 1)
      ? null
      : `${id} is not as it was before its start`;
  },
};

export const spent: Property = {
  id: 'spent',
  text: 'A start that left no result has used up its attempt and what was approved for it.',
  violation: (taken) => {
    const was = callsOf(taken.before).find(({ id }) => toolOutcome(taken, id) === 'unknown');
    if (was === undefined) return null;
    const { id } = was;
    const call = callsOf(taken.after).find((one) => one.id === id);
    if (call === undefined || call.stage === 'running') return `${id} is not decided on again`;
    if (call.starts !== was.starts) return `${id} has its attempt back`;
    return call.grants.length === 0 ? null : `${id} keeps an approval`;
  },
};

export const setbacks: Property = {
  id: 'setbacks',
  text: 'Each time a call is set back counts, and past its limit the call is closed.',
  violation: (taken) => {
    const { before, after } = taken;
    return firstProblem(
      callsOf(before).map((was) => {
        const call = callsOf(after).find(({ id }) => id === was.id);
        if (call === undefined || call.stage === 'settled') return null;
        if (call.setbacks < was.setbacks && toolOutcome(taken, was.id) !== 'unknown')
          return `${was.id} is counted anew`;
        if (isSetBack(taken, was) && call.setbacks !== was.setbacks + 1)
          return `${was.id} is not counted`;
        const isPast = call.setbacks > before.context.limits.setbacks;
        return isPast && call.stage !== 'live' ? `${was.id} goes on past limits.setbacks` : null;
      }),
    );
  },
};

/** Whether a start did not come about, or what was approved turned out to have changed. */
function isSetBack(taken: Taken, call: Call): boolean {
  if (toolOutcome(taken, call.id) === 'not_started') return true;
  const found = call.stage === 'live' ? inspected(taken, call.id) : null;
  if (found === null || call.facts === null) return false;
  const { at: _, ...facts } = found;
  const shown = shownAs(call, call.facts);
  return call.grants.some((grant) => grant.shown === shown) && shown !== shownAs(call, facts);
}

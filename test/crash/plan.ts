import { type Replies, TOOLS, type ToolName } from './calls.ts';
import type { Blow } from './child.types.ts';
import type { Ordeal } from './ordeal.types.ts';

/** Every state a run of these may pass, as its driver is told. */
const STATES = [
  ...['submitPrompt', 'callModel.working', 'parseReply', 'preToolHook.working'],
  ...['awaitPermission.inspecting', 'awaitPermission.asking', 'execute', 'postToolHook.working'],
  ...['stopHook.working', 'done'],
];

/** A run with nothing done to it. */
export const CALM: Ordeal = {
  replies: [['pay', 'pay']],
  person: 'grants',
  approvalTime: null,
  toolTime: 0,
  drivers: 1,
  blows: [],
};

/** Random ordeals without end; `random` gives numbers from 0 to below 1. */
export function* randomOrdeals(random: () => number): Generator<Ordeal, never> {
  for (;;) yield randomOrdeal(random);
}

function randomOrdeal(random: () => number): Ordeal {
  const upTo = (most: number) => Math.floor(random() * most);
  const among = <Value>(values: readonly Value[]) => values[upTo(values.length)] as Value;
  const replies = Array.from({ length: 1 + upTo(2) }, () =>
    Array.from({ length: 1 + upTo(6) }, () => among(Object.keys(TOOLS) as ToolName[])),
  );
  return {
    replies,
    person: among(['grants', 'grants', 'denies repeats', 'nobody'] as const),
    approvalTime: among([null, null, 40, 400]),
    toolTime: among([0, 5, 30]),
    drivers: among([1, 1, 2, 3]),
    blows: Array.from({ length: 1 + upTo(4) }, () => randomBlow(replies, { upTo, among })),
  };
}

interface Chance {
  readonly upTo: (most: number) => number;
  readonly among: <Value>(values: readonly Value[]) => Value;
}

function randomBlow(replies: Replies, { upTo, among }: Chance): Blow {
  const does = among(['kill', 'kill', 'stall'] as const);
  const kind = among(['write', 'write', 'state', 'tool', 'time'] as const);
  const when = among(['before', 'after'] as const);
  const calls = replies.flatMap((tools, reply) => tools.map((_, index) => `${reply + 1}.${index}`));
  if (kind === 'write') return { kind, does, when, write: 1 + upTo(8 + calls.length) };
  if (kind === 'state') return { kind, does, state: among(STATES) };
  if (kind === 'tool') return { kind, does, when, callId: among(calls) };
  return { kind, does, ms: upTo(120) };
}

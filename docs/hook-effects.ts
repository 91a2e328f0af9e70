import { agentMachine } from '../machines/agent/agent.machine.ts';
import { inertScope } from '../machines/agent/agent.scope.ts';
import { stateOf } from '../machines/agent/agent.view.ts';
import { type Exploration, explore } from '../src/testing/explore.ts';
import { callsOf, observationOf } from '../src/testing/taken.ts';
import { CALLS, FACTS, ONE_CALL_WORLD } from '../src/testing/world/shipped-worlds.ts';
import { worldEvents } from '../src/testing/world/world.ts';
import type { AgentSnapshot, World, WorldEvent } from '../src/testing/world/world.types.ts';
import { table } from './table.ts';

/** Where each event's hooks work, and the actor they work in. */
const HOOKS = [
  { event: 'UserPromptSubmit', state: 'submitPrompt.working', actor: 'userPromptSubmit' },
  { event: 'PreToolUse', state: 'preToolHook.working', actor: 'preToolUse' },
  { event: 'PostToolUse', state: 'postToolHook.working', actor: 'postToolUse' },
  { event: 'Stop', state: 'stopHook.working', actor: 'stop' },
] as const;

/** What may happen there, as the world of the verification has it. */
const COLUMNS: readonly (readonly [string, (actor: string, event: WorldEvent) => boolean])[] = [
  ['a hook blocks', (actor, { label }) => isAnswer(label, actor, 'block')],
  ['a hook crashes or answers nonsense', (actor, { label }) => isAnswer(label, actor, 'failed')],
  ['the port fails', (actor, { label }) => label === `${actor} ✗ crash`],
  ['`run.cancel`', (_, { type }) => type === 'run.cancel'],
];

/** One call that is allowed, and room for another turn after it. */
const WORLD: World = {
  ...ONE_CALL_WORLD,
  limits: { ...ONE_CALL_WORLD.limits, turns: 2, repairs: 0, stopBlocks: 1 },
  calls: [CALLS.search],
  callsPerReply: [1],
  facts: [FACTS.clean],
  toolOutcomes: ['ok'],
  omissions: false,
  strayAnswers: false,
};

/** What becomes of a run when a hook does not let it pass: worked out on the machine itself. */
export function hookEffectsTable(): string {
  const exploration = explore(WORLD);
  const rows = HOOKS.map(({ event, state, actor }) => {
    const before = firstIn(exploration, state);
    return [
      `\`${event}\``,
      ...COLUMNS.map(([column, isMeant]) => {
        const found = worldEvents(WORLD, before).find((one) => isMeant(actor, one));
        return found === undefined ? otherwise(event, column) : effectOf(before, found);
      }),
    ];
  });
  return table(['', ...COLUMNS.map(([name]) => name)], rows);
}

/** A PostToolUse hook gives no verdict: what ran has run. Its runner tells of a crash beside it. */
function otherwise(event: string, column: string): string {
  if (event !== 'PostToolUse') throw new Error(`The world has no way for: ${event}, ${column}.`);
  return column === 'a hook blocks'
    ? 'cannot be'
    : 'recorded in `faults`; the call keeps its outcome';
}

function isAnswer(label: string, actor: string, verdict: string): boolean {
  return label === `${actor} → ${verdict}` || label === `${actor} → 1.0: ${verdict}`;
}

function firstIn({ states }: Exploration, wanted: string): AgentSnapshot {
  for (const { snapshot } of states.values()) if (stateOf(snapshot) === wanted) return snapshot;
  throw new Error(`No path of the world leads to ${wanted}.`);
}

/** The state that an event leads to, why the run rests there, and what became of the call. */
function effectOf(before: AgentSnapshot, event: WorldEvent): string {
  const after = agentMachine.transition(before, event as never, inertScope());
  const { rest } = after.context;
  const state = `→ \`${stateOf(after)}\``;
  const reason = rest?.status === 'suspended' ? ` (\`${rest.reason}\`)` : '';
  const call = callsOf(before)[0];
  const outcome = call === undefined ? undefined : observationOf(after, call.id)?.outcome;
  return outcome === undefined ? `${state}${reason}` : `${state}; the call is \`${outcome}\``;
}

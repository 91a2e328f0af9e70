import type { AgentInput } from '../../../machines/agent/agent.types.ts';
import { actorEvents } from './actor-events.ts';
import { personEvents } from './person-events.ts';
import type { AgentSnapshot, World, WorldEvent } from './world.types.ts';

/** The input of a run in a world. */
export function worldInput({ hooks, limits, policies }: World): AgentInput {
  return {
    runId: 'run',
    startedAt: 0,
    locale: 'en',
    prompt: 'task',
    history: [],
    hooks: hooks.map((event) => ({ name: event, event, matcher: '*' })),
    policies,
    limits,
  };
}

/** Everything that may happen in a state, from its live actors and from people. */
export function worldEvents(world: World, snapshot: AgentSnapshot): readonly WorldEvent[] {
  if (snapshot.status !== 'active') return [];
  const children = Object.entries(snapshot.children) as [string, { src?: unknown } | undefined][];
  const answers = children.flatMap(([id, child]) =>
    actorEvents(world, snapshot, { id, src: String(child?.src) }),
  );
  const cancel = {
    type: 'run.cancel',
    label: 'person cancels',
    by: 'person',
    at: snapshot.context.clock.at,
  };
  return [...answers, ...personEvents(world, snapshot), ...(world.cancel ? [cancel] : [])];
}

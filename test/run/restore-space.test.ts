import { describe, expect, it } from 'vitest';
import { initialTransition } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { stateOf } from '../../machines/agent/agent.view.ts';
import { foldLog } from '../../src/run/fold.ts';
import type { LogRecord } from '../../src/run/store/store.types.ts';
import { controlState } from '../../src/testing/control-state.ts';
import { explore, pathTo } from '../../src/testing/explore.ts';
import {
  NO_HOOKS_WORLD,
  ONE_CALL_WORLD,
  TWO_CALL_WORLD,
} from '../../src/testing/world/shipped-worlds.ts';
import { worldEvents, worldInput } from '../../src/testing/world/world.ts';
import type { AgentSnapshot, World, WorldEvent } from '../../src/testing/world/world.types.ts';
import { randomFrom } from '../random.ts';
import { after, createStage, liveChildren, type StagedRun } from './staged-run.ts';

const SEED = 20_261_001;
const TWO_CALL_STATES = 1_500;

interface Cut {
  readonly path: readonly WorldEvent[];
  readonly snapshot: AgentSnapshot;
}

const isOver = ({ status, context }: AgentSnapshot) => status !== 'active' || context.rest !== null;

/**
 * Without answers that change nothing, and without starts that do not come about: the stage writes
 * the intent of every start. `decided-before.test.ts` is about those.
 */
function staged(world: World): World {
  const toolOutcomes = world.toolOutcomes.filter((outcome) => outcome !== 'not_started');
  return { ...world, strayAnswers: false, toolOutcomes };
}

const known = new WeakMap<AgentSnapshot, readonly WorldEvent[]>();

function eventsIn(world: World, snapshot: AgentSnapshot): readonly WorldEvent[] {
  const events = known.get(snapshot) ?? worldEvents(world, snapshot);
  known.set(snapshot, events);
  return events;
}

/** One event that may come next; a cancel only now and then, because it ends everything. */
function anyEvent(world: World, snapshot: AgentSnapshot, random: () => number): WorldEvent {
  const events = eventsIn(world, snapshot);
  const others = events.filter(({ type }) => type !== 'run.cancel');
  const among = others.length > 0 && random() > 0.02 ? others : events;
  return among[Math.floor(random() * among.length)] as WorldEvent;
}

/** Events from a snapshot until the run rests. */
function anyEnd(world: World, from: AgentSnapshot, random: () => number): WorldEvent[] {
  const events: WorldEvent[] = [];
  for (let snapshot = from; !isOver(snapshot); ) {
    const event = anyEvent(world, snapshot, random);
    events.push(event);
    snapshot = after(snapshot, event);
  }
  return events;
}

/** What a restarted process says of the calls that ran when the last one died. */
function unknowns({ context }: AgentSnapshot): WorldEvent[] {
  return context.calls.flatMap(({ id, stage }) => {
    const output = { outcome: 'unknown', content: '', ms: 0, at: context.clock.at };
    const actorId = `tool.${id}`;
    const event = { type: `xstate.done.actor.${actorId}`, label: `${id} unknown`, actorId, output };
    return stage === 'running' ? [event] : [];
  });
}

/** As it would be stored; the labels of the world's events are for people. */
const json = (value: unknown): string =>
  JSON.stringify(value, (key, part) => (key === 'label' ? undefined : part));

async function ended(staged: StagedRun) {
  const log = await staged.log();
  const { state, outcome } = staged.run;
  const isResting = ['suspended', 'done', 'failed', 'cancelled'].includes(state);
  const rest = isResting ? await outcome : null;
  await staged.run.close();
  return JSON.stringify({ log, state, rest });
}

type Stage = ReturnType<typeof createStage>;

/** A way through a world to a rest, run without interruption, and where to cut it. */
interface Journey {
  readonly events: readonly WorldEvent[];
  /** The run after so many events. */
  readonly snapshots: readonly AgentSnapshot[];
  /** Numbers of events after which the process dies. */
  readonly cuts: readonly number[];
  /** How many events after the cut the restarted process answers by itself. */
  readonly answered: number;
  readonly safeToRepeat: boolean;
}

/** Checks that a run cut there goes on as if it had not been cut. */
async function check(stage: Stage, journey: Journey): Promise<void> {
  const whole = await stage.start();
  const lengths = [(await whole.log()).length];
  const starts = [0];
  for (const event of journey.events) {
    await whole.happen(event);
    lengths.push((await whole.log()).length);
    starts.push(whole.toolStarts.length);
  }
  const log = await whole.log();
  const expected = await ended(whole);
  for (const cut of journey.cuts) {
    const before = log.slice(0, lengths[cut]);
    const startsBefore = whole.toolStarts.slice(0, starts[cut]);
    try {
      await checkCut(stage, { journey, cut, before, startsBefore, expected });
    } catch (thrown) {
      const path = journey.events.map(({ label }) => label);
      path.splice(cut, 0, `--- killed in ${stateOf(journey.snapshots[cut] as AgentSnapshot)}`);
      throw new Error(`${path.join('\n')}\n${thrown}`, { cause: thrown });
    }
  }
}

interface CutCheck {
  readonly journey: Journey;
  readonly cut: number;
  readonly before: readonly LogRecord[];
  readonly startsBefore: readonly string[];
  readonly expected: string;
}

async function checkCut(stage: Stage, given: CutCheck): Promise<void> {
  const { journey, cut, before, startsBefore, expected } = given;
  const { events, snapshots, answered, safeToRepeat } = journey;
  const snapshot = snapshots[cut] as AgentSnapshot;
  const between = snapshots[cut + answered] as AgentSnapshot;

  // Folding the log gives the run as it was: state, context and what is under way.
  const folded = foldLog(before);
  expect(folded.value).toEqual(snapshot.value);
  expect(json(folded.context)).toBe(json(snapshot.context));
  expect(liveChildren(folded)).toEqual(liveChildren(snapshot));
  const persisted = agentMachine.getPersistedSnapshot(folded);
  expect(JSON.parse(JSON.stringify(persisted))).toEqual(persisted);
  if (folded.status !== 'active') return;

  const restored = await stage.restore(before, { snapshot: folded, safeToRepeat });
  expect(restored.waiting()).toEqual(liveChildren(between));
  for (const event of events.slice(cut + answered)) await restored.happen(event);
  expect(await ended(restored)).toBe(expected);

  // What started before starts again only if it was running and is safe to repeat.
  const { calls } = snapshot.context;
  const again = restored.toolStarts.filter((start) => startsBefore.includes(start));
  const running = calls.flatMap(({ id, stage: at, starts }) =>
    at === 'running' ? [`${id}/${starts}`] : [],
  );
  expect(again).toEqual(safeToRepeat ? running : []);
  for (const { id, stage: at } of calls)
    if (at === 'settled')
      expect(restored.toolStarts.filter((start) => start.startsWith(`${id}/`))).toEqual([]);
}

function journeyOf(events: readonly WorldEvent[], from: AgentSnapshot) {
  const snapshots = [from];
  for (const event of events) snapshots.push(after(snapshots.at(-1) as AgentSnapshot, event));
  return { events, snapshots };
}

/** Cuts a run at every given state, with tools that are safe to repeat and that are not. */
async function checkAll(world: World, states: readonly Cut[], random: () => number) {
  const stage = createStage(world);
  const [first] = initialTransition(agentMachine, worldInput(world));
  const left = new Map(states.map((cut) => [controlState(cut.snapshot), cut]));
  // The deepest first: a way to one state leads through others.
  for (const [key, { path, snapshot }] of [...left].reverse()) {
    if (!left.has(key)) continue;
    const way = journeyOf([...path, ...anyEnd(world, snapshot, random)], first);
    const cuts = [...way.snapshots.entries()].flatMap(([index, at]) =>
      left.delete(controlState(at)) ? [index] : [],
    );
    await check(stage, { ...way, cuts, answered: 0, safeToRepeat: true });
    for (const cut of cuts) {
      const at = way.snapshots[cut] as AgentSnapshot;
      const forced = unknowns(at);
      if (forced.length === 0) continue;
      const rest = anyEnd(world, forced.reduce(after, at), random);
      const other = journeyOf([...way.events.slice(0, cut), ...forced, ...rest], first);
      const answered = forced.length;
      await check(stage, { ...other, cuts: [cut], answered, safeToRepeat: false });
    }
  }
  expect(left.size).toBe(0);
}

/** Control states, found by a random event from a random one of those known, again and again. */
function someStates(world: World, count: number, random: () => number): Cut[] {
  const [snapshot] = initialTransition(agentMachine, worldInput(world));
  const cuts: Cut[] = [{ path: [], snapshot }];
  const known = new Set([controlState(snapshot)]);
  while (cuts.length < count) {
    const from = cuts[Math.floor(random() * cuts.length)] as Cut;
    if (isOver(from.snapshot)) continue;
    const event = anyEvent(world, from.snapshot, random);
    const next = after(from.snapshot, event);
    const key = controlState(next);
    if (known.has(key)) continue;
    known.add(key);
    cuts.push({ path: [...from.path, event], snapshot: next });
  }
  return cuts;
}

describe('a run interrupted at any control state goes on as if it had not been', () => {
  it.each([
    ['one call per reply', staged(ONE_CALL_WORLD)],
    ['one call per reply, no hooks', staged(NO_HOOKS_WORLD)],
  ])(
    '%s: every state',
    async (name, world) => {
      const states = [...explore(world).states.values()];
      console.log(`${name}: ${states.length} states`);
      expect(states.length).toBeGreaterThan(80);
      const cuts = states.map((state) => ({ path: pathTo(state), snapshot: state.snapshot }));
      await checkAll(world, cuts, randomFrom(SEED));
    },
    120_000,
  );

  it(`two calls per reply: ${TWO_CALL_STATES} states, seed ${SEED}`, async () => {
    const random = randomFrom(SEED);
    const world = staged(TWO_CALL_WORLD);
    const cuts = someStates(world, TWO_CALL_STATES, random);
    await checkAll(world, cuts, random);
  }, 300_000);
});

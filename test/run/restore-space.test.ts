import { describe, expect, it } from 'vitest';
import { initialTransition } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { stateOf } from '../../machines/agent/agent.view.ts';
import { foldLog } from '../../src/run/fold.ts';
import { controlState } from '../../src/testing/control-state.ts';
import { explore, pathTo } from '../../src/testing/explore.ts';
import {
  type AgentSnapshot,
  NO_HOOKS_WORLD,
  ONE_CALL_WORLD,
  TWO_CALL_WORLD,
  type World,
  type WorldEvent,
  worldEvents,
  worldInput,
} from '../../src/testing/world.ts';
import { after, createStage, liveChildren, type StagedRun } from './staged-run.ts';

const SEED = 20_261_001;
const TWO_CALL_STATES = 2_000;

/** Numbers from 0 to below 1 that a seed determines (mulberry32, public domain). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface Cut {
  readonly path: readonly WorldEvent[];
  readonly snapshot: AgentSnapshot;
}

const isOver = ({ status, context }: AgentSnapshot) => status !== 'active' || context.rest !== null;

/** One event that may come next; a cancel only now and then, because it ends everything. */
function anyEvent(world: World, snapshot: AgentSnapshot, random: () => number): WorldEvent {
  const events = worldEvents({ ...world, strayAnswers: false }, snapshot);
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
function unknowns({ context }: AgentSnapshot, at: number): WorldEvent[] {
  return context.calls.flatMap(({ id, stage }) => {
    const output = { outcome: 'unknown', content: '', ms: 0, at };
    const actorId = `tool.${id}`;
    const event = { type: `xstate.done.actor.${actorId}`, label: `${id} unknown`, actorId, output };
    return stage === 'running' ? [event] : [];
  });
}

/** As it would be stored; the labels of the world's events are for people. */
const json = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (key === 'label' ? undefined : part)));

async function ended(staged: StagedRun) {
  const log = await staged.log();
  const { state, outcome } = staged.run;
  const isResting = foldLog(log).context.rest !== null;
  const rest = isResting ? await outcome : null;
  await staged.run.close();
  return { log, state, rest };
}

/** Checks that a run cut there goes on as if it had not been cut. */
async function check(world: World, cut: Cut, random: () => number): Promise<void> {
  const { path, snapshot } = cut;
  const stage = createStage(world);
  const isRunning = snapshot.context.calls.some(({ stage: at }) => at === 'running');
  for (const safeToRepeat of isRunning ? [true, false] : [false]) {
    // Never interrupted.
    const whole = await stage.start();
    for (const event of path) await whole.happen(event);
    const before = await whole.log();
    const startsBefore = [...whole.toolStarts];
    const forced = safeToRepeat ? [] : unknowns(snapshot, before.at(-1)?.at ?? 0);
    const between = forced.reduce(after, snapshot);
    const rest = anyEnd(world, between, random);
    for (const event of [...forced, ...rest]) await whole.happen(event);
    const expected = await ended(whole);

    // Folding the log gives the run as it was: state, context and what is under way.
    const folded = foldLog(before);
    expect(folded.value).toEqual(snapshot.value);
    expect(json(folded.context)).toEqual(json(snapshot.context));
    expect(liveChildren(folded)).toEqual(liveChildren(snapshot));
    const persisted = agentMachine.getPersistedSnapshot(folded);
    expect(json(persisted)).toEqual(persisted);
    if (folded.status !== 'active') continue;

    // Interrupted there.
    const restored = await stage.restore(before, { safeToRepeat });
    expect(restored.waiting()).toEqual(liveChildren(between));
    for (const event of rest) await restored.happen(event);
    expect(await ended(restored)).toEqual(expected);

    // What started before starts again only if it was running and is safe to repeat.
    const again = restored.toolStarts.filter((start) => startsBefore.includes(start));
    const running = snapshot.context.calls.flatMap(({ id, stage: at, starts }) =>
      at === 'running' ? [`${id}/${starts}`] : [],
    );
    expect(again).toEqual(safeToRepeat ? running : []);
    const settled = snapshot.context.calls.filter(({ stage: at }) => at === 'settled');
    for (const { id } of settled)
      expect(restored.toolStarts.filter((start) => start.startsWith(`${id}/`))).toEqual([]);
  }
}

async function checkAll(world: World, cuts: readonly Cut[], random: () => number) {
  for (const cut of cuts) {
    try {
      await check(world, cut, random);
    } catch (thrown) {
      const path = cut.path.map(({ label }) => label).join('\n  ');
      throw new Error(`${stateOf(cut.snapshot)}, after:\n  ${path}\n${thrown}`, { cause: thrown });
    }
  }
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
    ['one call per reply', ONE_CALL_WORLD],
    ['one call per reply, no hooks', NO_HOOKS_WORLD],
  ])(
    '%s: every state',
    async (name, world) => {
      const states = [...explore({ ...world, strayAnswers: false }).states.values()];
      console.log(`${name}: ${states.length} states`);
      expect(states.length).toBeGreaterThan(80);
      const cuts = states.map((state) => ({ path: pathTo(state), snapshot: state.snapshot }));
      await checkAll(world, cuts, randomFrom(SEED));
    },
    120_000,
  );

  it(`two calls per reply: ${TWO_CALL_STATES} states, seed ${SEED}`, async () => {
    const random = randomFrom(SEED);
    const cuts = someStates(TWO_CALL_WORLD, TWO_CALL_STATES, random);
    await checkAll(TWO_CALL_WORLD, cuts, random);
  }, 120_000);
});

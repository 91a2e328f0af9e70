import { fromPromise } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { type PortInputs, ports } from '../../machines/agent/agent.ports.ts';
import { inertScope } from '../../machines/agent/agent.scope.ts';
import { Journal } from '../../src/run/journal.ts';
import { openRun, type RunHost, type RunOrigin } from '../../src/run/run.ts';
import type { Run } from '../../src/run/run.types.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { LogRecord, RunStore } from '../../src/run/store/store.types.ts';
import { worldInput } from '../../src/testing/world/world.ts';
import type { AgentSnapshot, World, WorldEvent } from '../../src/testing/world/world.types.ts';

const request = { owner: 'stage', ttl: 60_000 };

interface Held {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A run of the real engine, its log in memory, whose ports answer what a path says. */
export interface StagedRun {
  readonly run: Run;
  /** Starts of tools in this process, as `callId/attempt`. */
  readonly toolStarts: readonly string[];
  /** Ids of the actors that wait for an answer. */
  readonly waiting: () => readonly string[];
  readonly happen: (event: WorldEvent) => Promise<void>;
  readonly log: () => Promise<readonly LogRecord[]>;
}

/** Makes stages: the machine is provided once, as in the engine. */
export function createStage(world: World) {
  let held = new Map<string, Held>();
  let toolStarts: string[] = [];
  let safeToRepeat = false;
  let journal: Journal | null = null;
  let time = 0;

  const wait = (id: string) =>
    new Promise<unknown>((resolve, reject) => held.set(id, { resolve, reject }));
  const hold = fromPromise<unknown, unknown>(async ({ self }) => {
    await journal?.ready();
    return wait(self.id);
  });
  // As the tool port does, and nothing else: the intent first.
  const tool = fromPromise<unknown, PortInputs['tool']>(async ({ input, self }) => {
    const { callId, attempt } = input;
    const isKnown = journal?.hasIntent(callId, attempt);
    await journal?.intend(callId, attempt);
    if (isKnown && !safeToRepeat) return { outcome: 'unknown', content: '', ms: 0, at: time };
    toolStarts.push(`${callId}/${attempt}`);
    return wait(self.id);
  });
  const names = Object.keys(ports);
  const actors = { ...Object.fromEntries(names.map((name) => [name, hold])), tool };
  const host: RunHost = {
    machine: agentMachine.provide({ actors: actors as never }),
    now: () => time,
    inspect: undefined,
    onEvent: undefined,
    begin: () => () => {},
  };

  const stage = async (origin: RunOrigin, keeping: { store: RunStore; journal: Journal }) => {
    const waiting = new Map<string, Held>();
    const starts: string[] = [];
    const enter = () => {
      held = waiting;
      toolStarts = starts;
      journal = keeping.journal;
    };
    enter();
    const run = openRun(origin, host, keeping);
    await quiet();
    const staged: StagedRun = {
      run,
      toolStarts: starts,
      waiting: () => [...waiting.keys()].sort(),
      happen: async (event) => {
        enter();
        const { at } = (event.output as { at?: number } | undefined) ?? {};
        time = Math.max(time, Number(event.at ?? at ?? 0));
        happen(run, waiting, event);
        await quiet();
      },
      log: () => keeping.store.read('run'),
    };
    return staged;
  };

  return {
    start: async (): Promise<StagedRun> => {
      time = 0;
      const [store, input] = [memoryStore(), worldInput(world)];
      const started = Journal.start({ store, request, now: () => time }, input);
      return stage({ input }, { store, journal: started });
    },
    /** Goes on from a log and what it folds to, in what would be a new process. */
    restore: async (
      log: readonly LogRecord[],
      options: { readonly snapshot: AgentSnapshot; readonly safeToRepeat: boolean },
    ): Promise<StagedRun> => {
      const store = memoryStore();
      const [first, ...rest] = log;
      if (first?.kind !== 'start') throw new Error('no start');
      const lease = await store.create(first, request);
      await store.append(lease, rest, { durable: true });
      const resumed = Journal.resume(
        { store, request, now: () => time },
        { lease, log, snapshot: options.snapshot },
      );
      safeToRepeat = options.safeToRepeat;
      time = log.at(-1)?.at ?? 0;
      return stage({ snapshot: options.snapshot }, { store, journal: resumed });
    },
  };
}

/** Every promise that can settle has settled. */
async function quiet(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function happen(run: Run, waiting: Map<string, Held>, event: WorldEvent): void {
  const answer = /^xstate\.(done|error)\.actor\.(.+)$/u.exec(event.type);
  if (answer === null) {
    tell(run, event);
    return;
  }
  const [, kind, id = ''] = answer;
  const promise = waiting.get(id);
  if (promise === undefined)
    throw new Error(`${event.label}: what waits is ${[...waiting.keys()].join(', ') || 'nothing'}`);
  waiting.delete(id);
  if (kind === 'done') promise.resolve(event.output);
  else promise.reject(event.error);
}

function tell(run: Run, event: WorldEvent): void {
  const { callId, approvals, shown, by, reason, limits, expiresAt } = event as never as {
    callId: string;
    approvals: never;
    shown: string;
    by: string;
    reason: string;
    limits: object;
    expiresAt: number | null;
  };
  const results = {
    'permission.grant': () =>
      run.approve({ callId, shown }, { approvals, by, ...(expiresAt !== null && { expiresAt }) }),
    'permission.deny': () => run.deny(callId, reason, { by }),
    'run.cancel': () => run.cancel({ by }),
    'run.resume': () => run.resume(limits, { by }),
  };
  const { accepted } = results[event.type as keyof typeof results]();
  if (!accepted) throw new Error(`${event.label}: not taken`);
}

const scope = inertScope();

/** The pure run after an event. As the driver, which knows of no request: the stage makes none. */
export function after(snapshot: AgentSnapshot, event: WorldEvent): AgentSnapshot {
  const told = event.type === 'run.cancel' ? { ...event, requests: [] } : event;
  return agentMachine.transition(snapshot, told as never, scope);
}

/** The ids of the actors that are live in a snapshot. */
export function liveChildren({ children }: AgentSnapshot): string[] {
  const entries = Object.entries(children) as [string, unknown][];
  return entries.flatMap(([id, child]) => (child === undefined ? [] : [id])).sort();
}

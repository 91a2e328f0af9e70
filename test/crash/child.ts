import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InspectionEvent } from 'xstate';
import { DEFAULT_LIMITS } from '../../machines/agent/agent.types.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import type { Run, RunOutcome } from '../../src/run/run.types.ts';
import { hasEnded } from '../../src/run/run-status.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { LogRecord, RunStore } from '../../src/run/store/store.types.ts';
import { hooks, planningModel, policies, saysYes, type ToolStart, tools } from './calls.ts';
import {
  type ChildConfig,
  type ChildLine,
  type Effect,
  LEASE_TIME,
  type PointBlow,
  STALL_TIME,
} from './child.types.ts';

const config = JSON.parse(process.argv[2] ?? '') as ChildConfig;
const { runId } = config;

/** Written at once: what was said before a kill arrives. */
function say(line: ChildLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

const struck = new Set<PointBlow>();

/** Stands still where a blow is due, for its parent to kill it there, or to stop it whole. */
function passBy(isDue: (blow: PointBlow) => boolean): void {
  const due = config.blows.find((blow) => !struck.has(blow) && isDue(blow));
  if (due === undefined) return;
  struck.add(due);
  say({ type: 'stopped', blow: config.blows.indexOf(due) });
  const time = due.does === 'stall' ? STALL_TIME : undefined;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time);
}

let writes = 0;
/** How many events the log held when it was last read to drive the run. */
let base = 0;

/** A store that stops at its nth write, before or after it is done. */
function stoppingStore(inner: RunStore): RunStore {
  const around = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    writes += 1;
    const write = writes;
    const isWrite = (blow: PointBlow, when: 'before' | 'after') =>
      blow.kind === 'write' && blow.write === write && blow.when === when;
    passBy((blow) => isWrite(blow, 'before'));
    const value = await work();
    passBy((blow) => isWrite(blow, 'after'));
    return value;
  };
  return {
    ...inner,
    create: (...given) => around(() => inner.create(...given)),
    append: (...given) => around(() => inner.append(...given)),
    acquire: (...given) => around(() => inner.acquire(...given)),
    release: (...given) => around(() => inner.release(...given)),
    read: async (...given) => {
      const log = await inner.read(...given);
      base = log.filter(({ kind }) => kind === 'event').length;
      return log;
    },
  };
}

const store = sqliteStore({ path: config.database });
const states: string[] = [];
/** The events that each actor of the run received. */
const received = new Map<string, string[]>();

async function takeEffect(start: ToolStart): Promise<void> {
  const { callId, attempt } = start;
  const isTool = (blow: PointBlow, when: 'before' | 'after') =>
    blow.kind === 'tool' && blow.callId === callId && blow.when === when;
  const log = await store.read(runId);
  passBy((blow) => isTool(blow, 'before'));
  const effect: Effect = { ...start, isOnRecord: log.some(isIntentOf(callId, attempt)) };
  const file = openSync(config.effects, 'a');
  writeSync(file, `${JSON.stringify(effect)}\n`);
  fsyncSync(file);
  closeSync(file);
  passBy((blow) => isTool(blow, 'after'));
  await sleep(config.toolTime);
}

const isIntentOf = (callId: string, attempt: number) => (record: LogRecord) =>
  record.kind === 'intent' && record.callId === callId && record.attempt === attempt;

let newest = '';
const agent = createAgent({
  store: stoppingStore(store),
  leaseTime: LEASE_TIME,
  model: planningModel(config.replies),
  tools: tools(takeEffect),
  hooks,
  permissions: { policies },
  // Some wait for a slot.
  maxParallelTools: 2,
  // Each process that takes a run up may set its calls back once.
  limits: { ...DEFAULT_LIMITS, setbacks: 100 },
  inspect: (event: InspectionEvent) => {
    const { sessionId = '' } = event.actorRef as { readonly sessionId?: string };
    if (sessionId !== event.rootId || event.type !== '@xstate.event') return;
    if (event.event.type === 'xstate.init') {
      newest = sessionId;
      received.set(sessionId, []);
    } else received.get(sessionId)?.push(event.event.type);
  },
  onEvent: (event) => {
    if (event.type !== 'state') return;
    states.push(event.state);
    passBy((blow) => blow.kind === 'state' && blow.state === event.state);
  },
});

/** One handle of the run, and what it was told and told others. */
class Drive {
  readonly #run: Run;
  readonly #events: readonly string[];
  readonly #base: number;
  #answers = 0;

  constructor(run: Run, before: number) {
    this.#run = run;
    this.#base = before;
    this.#events = received.get(newest) ?? [];
  }

  /** Drives it to its rest. */
  async go(): Promise<RunOutcome> {
    for await (const event of this.#run) {
      const isAsked = event.type === 'permission.requested';
      if (isAsked && config.person !== 'nobody') await this.#answer();
      else if (isAsked) this.#wait().catch(() => {});
      else if (event.type === 'state' || event.type === 'step.finished') this.#acknowledge();
    }
    return this.#run.outcome;
  }

  /** Says what is stored by now, once it is. A handle that lost its lease has nothing to say. */
  #acknowledge(): void {
    const events = [...this.#events];
    const told = () => say({ type: 'acked', base: this.#base, events });
    this.#run.saved().then(told, () => {});
  }

  async #answer(): Promise<void> {
    for (const question of this.#run.questions) {
      const { callId } = question;
      this.#answers += 1;
      const by = `ada ${process.pid} ${newest} ${this.#answers}`;
      const ends = config.approvalTime !== null && { expiresAt: Date.now() + config.approvalTime };
      const { accepted } = saysYes(question, config.person)
        ? this.#run.approve(question, { by, ...ends })
        : this.#run.deny(question, 'no', { by });
      if (!accepted) continue;
      const told = () => say({ type: 'answered', callId, by });
      await this.#run.saved().then(told, () => {});
    }
  }

  /** Says when nothing but an answer from elsewhere helps. */
  async #wait(): Promise<void> {
    while ((await store.pending(runId)).length > 0) await sleep(10);
    if (this.#run.questions.length === 0) return;
    await this.#run.saved();
    say({ type: 'asking' });
  }
}

/** Takes the run up as soon as nobody drives it, this process included; starts it if it is not there. */
async function open(): Promise<Drive | null> {
  try {
    const { drivenBy } = await store.summary(runId);
    if (drivenBy !== null) return null;
    return new Drive(await agent.restore(runId), base);
  } catch (thrown) {
    const { code = '' } = thrown as { readonly code?: string };
    if (code === 'run_unknown' && newest === '') return new Drive(start(), 0);
    // Another was quicker, or it has ended meanwhile.
    if (['run_unknown', 'run_driven', 'run_ended', 'lease_lost'].includes(code)) return null;
    throw thrown;
  }
}

const start = () => agent.start('do all', { runId });

const hasRunEnded = () =>
  store.summary(runId).then(
    ({ status }) => hasEnded(status),
    () => false,
  );

let messages: readonly unknown[] | null = null;

/** Drives a handle until it is of no use any more. */
async function drive(handle: Drive): Promise<void> {
  const outcome = await handle.go();
  const { status } = outcome;
  if (status === 'failed') say({ type: 'lost', ...outcome.error });
  else if (status === 'done') messages = outcome.messages;
  else say({ type: 'lost', code: status, message: 'it rests' });
}

say({ type: 'ready' });
const drives: Promise<void>[] = [];
while (!(await hasRunEnded())) {
  const handle = await open();
  if (handle !== null) drives.push(drive(handle));
  await sleep(10);
}
await Promise.all(drives);
const { status } = await store.summary(runId);
say({ type: 'ended', status, messages, writes, states });
await store.close();

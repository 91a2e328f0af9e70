import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InspectionEvent } from 'xstate';
import { defineHook } from '../../src/hooks/index.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import type { Run, RunEvent } from '../../src/run/run.types.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { payingModel, payTool } from '../run/paying-agent.ts';
import type { ChildConfig, ChildLine } from './child.types.ts';

const config = JSON.parse(process.argv[2] ?? '') as ChildConfig;
const { runId, stopAt } = config;

/** Written at once: what was said before a kill arrives. */
function say(line: ChildLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Stops the whole process where it is; only a kill ends it. */
function stop(): void {
  say({ type: 'stopped' });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

let writes = 0;

/** A store that stops at its nth write, before or after it is done. */
function stoppingStore(inner: RunStore): RunStore {
  const around = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    writes += 1;
    const isHere = stopAt?.kind === 'write' && stopAt.write === writes;
    if (isHere && stopAt.when === 'before') stop();
    const value = await work();
    if (isHere && stopAt.when === 'after') stop();
    return value;
  };
  return {
    ...inner,
    create: (...given) => around(() => inner.create(...given)),
    append: (...given) => around(() => inner.append(...given)),
    acquire: (...given) => around(() => inner.acquire(...given)),
    release: (...given) => around(() => inner.release(...given)),
  };
}

const store = stoppingStore(sqliteStore({ path: config.database }));
const states: string[] = [];
const received: string[] = [];
let base = 0;

const pay = payTool((text, idempotencyKey) => {
  const isHere = stopAt?.kind === 'tool' && stopAt.text === text;
  if (isHere && stopAt.when === 'before') stop();
  const file = openSync(config.effects, 'a');
  writeSync(file, `${text} ${idempotencyKey}\n`);
  fsyncSync(file);
  closeSync(file);
  if (isHere && stopAt.when === 'after') stop();
}, config.safeToRepeat);

const agent = createAgent({
  store,
  leaseTime: 200,
  model: payingModel,
  tools: [pay],
  hooks: [
    defineHook({ name: 'prompt', event: 'UserPromptSubmit', run: () => ({ decision: 'proceed' }) }),
    defineHook({ name: 'before', event: 'PreToolUse', run: () => ({ decision: 'proceed' }) }),
    defineHook({ name: 'after', event: 'PostToolUse', run: () => ({}) }),
    defineHook({ name: 'stop', event: 'Stop', run: () => ({ decision: 'allow' }) }),
  ],
  permissions: { policies: { pay: 'ask' } },
  inspect: (event: InspectionEvent) => {
    if (event.type !== '@xstate.event' || event.event.type === 'xstate.init') return;
    const { sessionId } = event.actorRef as { sessionId?: string };
    if (sessionId === event.rootId) received.push(event.event.type);
  },
  onEvent: (event: RunEvent) => {
    if (event.type !== 'state') return;
    states.push(event.state);
    if (stopAt?.kind === 'state' && stopAt.state === event.state) stop();
  },
});

/** Says what is stored by now, once it is. */
async function acknowledge(run: Run): Promise<void> {
  const events = [...received];
  await run.saved();
  say({ type: 'acked', base, events });
}

/** Takes the run over as soon as its dead driver's lease has lapsed; starts it if it is not there. */
async function open(): Promise<Run> {
  for (;;) {
    try {
      const log = await store.read(runId);
      base = log.filter(({ kind }) => kind === 'event').length;
      return await agent.restore(runId);
    } catch (thrown) {
      const { code } = thrown as { code?: string };
      if (code === 'run_unknown') return agent.start('pay both', { runId });
      if (code !== 'run_driven') throw thrown;
      await sleep(10);
    }
  }
}

async function answer(run: Run): Promise<void> {
  for (const question of run.questions) {
    const { callId, missing } = question;
    const isRepeat = missing.includes('repeat');
    const by = { by: 'ada' };
    if (isRepeat && config.person === 'denies repeats') run.deny(callId, 'look first', by);
    else run.approve(question, by);
    await acknowledge(run);
  }
}

/** Says when nothing but an answer from elsewhere helps. */
async function wait(run: Run): Promise<void> {
  while ((await store.pending(runId)).length > 0) await sleep(10);
  if (run.questions.length === 0) return;
  await run.saved();
  say({ type: 'asking' });
}

say({ type: 'ready' });
const ended = await store
  .read(runId)
  .then((log) => log.length > 0)
  .catch(() => false);
const run = await open().catch((thrown: { code?: string }) => {
  // Killed after its last write: it has ended, and the log says how.
  if (ended && thrown.code === 'run_ended') return null;
  throw thrown;
});
if (run !== null) {
  for await (const event of run) {
    if (event.type === 'permission.requested' && config.person !== 'nobody') await answer(run);
    else if (event.type === 'permission.requested') wait(run).catch(() => {});
    else if (event.type === 'state' || event.type === 'step.finished')
      acknowledge(run).catch(() => {});
  }
  const { status, messages } = await run.outcome;
  say({ type: 'ended', status, messages, writes, states });
} else say({ type: 'ended', status: 'ended', messages: [], writes, states });
await store.close();

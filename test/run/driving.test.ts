import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../../src/run/create-agent.ts';
import type { Run } from '../../src/run/run.types.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { payingModel, payTool } from './paying-agent.ts';

/** Milliseconds of the world's clock; so long that no real timer renews a lease by itself. */
const LEASE = 3_000_000;

const OPS = [
  'restore here',
  'restore elsewhere',
  'restore twice at once',
  'restore and start at once',
  'lapse',
  'approve by the oldest',
  'approve by the newest',
  'confirm the oldest',
  'let go of the newest',
  'tools end',
] as const;
type Op = (typeof OPS)[number];

/** What is true of a run, kept beside the engine: by what the store took and the tool did. */
interface Ledger {
  /** The token of the lease that holds. */
  token: number;
  /** By start of a call, the token under which its intent was written. */
  readonly intents: Map<string, number>;
  readonly starts: { readonly key: string; readonly intent: number | undefined; token: number }[];
  /** Approvals on record, by call. */
  readonly grants: Map<string, number>;
}

/** A store that keeps the ledger: a record counts once the store has taken it. */
function watched(store: RunStore, ledger: Ledger): RunStore {
  return {
    ...store,
    create: async (start, request) => {
      const lease = await store.create(start, request);
      ledger.token = lease.token;
      return lease;
    },
    acquire: async (runId, request) => {
      const lease = await store.acquire(runId, request);
      ledger.token = lease.token;
      return lease;
    },
    append: async (lease, records, options) => {
      await store.append(lease, records, options);
      for (const record of records) {
        if (record.kind === 'intent')
          ledger.intents.set(`run/${record.callId}/${record.attempt}`, lease.token);
        if (record.kind !== 'event' || record.event.type !== 'permission.grant') continue;
        const { callId } = record.event as unknown as { callId: string };
        ledger.grants.set(callId, (ledger.grants.get(callId) ?? 0) + 1);
      }
    },
  };
}

async function createWorld() {
  let time = 1_000;
  const now = () => time;
  const ledger: Ledger = { token: 0, intents: new Map(), starts: [], grants: new Map() };
  const store = watched(memoryStore({ now }), ledger);
  let gates: (() => void)[] = [];
  const pay = {
    ...payTool(() => {}),
    execute: async (_: unknown, { idempotencyKey: key }: { readonly idempotencyKey: string }) => {
      ledger.starts.push({ key, intent: ledger.intents.get(key), token: ledger.token });
      await new Promise<void>((resolve) => gates.push(resolve));
      return 'paid';
    },
  };
  const options = { store, now, leaseTime: LEASE, model: payingModel, tools: [pay] };
  const policies = { policies: { pay: 'ask' } } as const;
  const [here, elsewhere] = ['here', 'elsewhere'].map((owner) =>
    createAgent({ ...options, owner, permissions: policies }),
  ) as [ReturnType<typeof createAgent>, ReturnType<typeof createAgent>];
  const handles: Run[] = [here.start('pay', { runId: 'run' })];
  const byAgent = new Map<Run | undefined, typeof here>([[handles[0], here]]);
  const refusals: unknown[] = [];

  /** Takes whatever handle comes of it; a refusal has a code. */
  const take = async (agent: typeof here, attempt: () => Run | Promise<Run>) => {
    try {
      const run = await attempt();
      handles.push(run);
      byAgent.set(run, agent);
    } catch (thrown) {
      refusals.push((thrown as { code?: unknown }).code);
    }
  };
  const approve = (run: Run | undefined) => {
    for (const question of run?.questions ?? []) run?.approve(question);
  };
  const restore = (agent: typeof here) => take(agent, () => agent.restore('run'));
  const does: Record<Op, () => unknown> = {
    'restore here': () => restore(here),
    'restore elsewhere': () => restore(elsewhere),
    'restore twice at once': () => Promise.all([restore(here), restore(here)]),
    'restore and start at once': () =>
      Promise.all([restore(here), take(here, () => here.start('pay', { runId: 'run' }))]),
    lapse: () => {
      time += LEASE + 1;
    },
    'approve by the oldest': () => approve(handles[0]),
    'approve by the newest': () => approve(handles.at(-1)),
    'confirm the oldest': () => handles[0]?.saved().catch(() => {}),
    'let go of the newest': () => handles.at(-1)?.close(),
    'tools end': () => {
      for (const open of gates.splice(0)) open();
    },
  };
  const settle = async () => {
    for (let turn = 0; turn < 4; turn += 1) await new Promise((next) => setImmediate(next));
  };
  await settle();
  return {
    ledger,
    handles,
    /** The handles by the agent that gave them. */
    perAgent: () =>
      [here, elsewhere].map((agent) => handles.filter((run) => byAgent.get(run) === agent)),
    refusals,
    perform: async (op: Op) => {
      await does[op]();
      await settle();
    },
    close: async () => {
      gates = [];
      await Promise.all(handles.map((run) => run.close()));
    },
  };
}
type World = Awaited<ReturnType<typeof createWorld>>;

/** What a handle says to an answer about no call: `not_asked` where it drives. */
function codeOf(run: Run): string {
  const result = run.deny('9.9');
  return result.accepted ? 'accepted' : result.code;
}

function checkLedger({ ledger, refusals }: World): void {
  for (const { key, intent, token } of ledger.starts)
    expect({ key, intent }).toEqual({ key, intent: token });
  const keys = ledger.starts.map(({ key }) => key);
  expect(keys).toEqual([...new Set(keys)]);
  for (const callId of ['1.0', '1.1'])
    expect(keys.filter((key) => key.startsWith(`run/${callId}/`)).length).toBeLessThanOrEqual(
      ledger.grants.get(callId) ?? 0,
    );
  for (const code of refusals) expect(['run_driven', 'run_ended']).toContain(code);
}

/** Only at the end of a script: a handle that is asked after a stall looks whether it drives still. */
function checkHandles(world: World): void {
  const perAgent = world.perAgent().map((runs) => runs.map(codeOf));
  expect(perAgent.flat().filter((code) => code === 'not_asked').length).toBeLessThanOrEqual(1);
  for (const codes of perAgent)
    expect(codes.filter((code) => code !== 'ended').length).toBeLessThanOrEqual(1);
}

async function play(script: readonly Op[]): Promise<void> {
  const world = await createWorld();
  try {
    for (const op of script) {
      await world.perform(op);
      checkLedger(world);
    }
    checkHandles(world);
    // Whatever happened, the run goes on to its end under one handle.
    for (const op of ['lapse', 'restore here', 'restore elsewhere'] as const)
      await world.perform(op);
    for (let round = 0; round < 3; round += 1)
      for (const op of ['approve by the newest', 'tools end'] as const) await world.perform(op);
    checkLedger(world);
    checkHandles(world);
    expect(world.ledger.starts.length).toBeGreaterThanOrEqual(2);
  } finally {
    await world.close();
  }
}

describe('one handle drives a run, whatever agents, stalls and web requests do', () => {
  it('every script of two steps, after the first question', async () => {
    for (const first of OPS) for (const second of OPS) await play([first, second]);
  });

  it('longer scripts', async () => {
    const scripts = fc.array(fc.constantFrom(...OPS), { minLength: 3, maxLength: 8 });
    await fc.assert(fc.asyncProperty(scripts, play), { numRuns: 150, seed: 20_261_201 });
  });
});

describe('a handle whose lease another has', () => {
  const asks = (run: Run | undefined) => run?.questions[0] ?? { callId: '1.0', shown: '' };

  it('says so at once where its own agent took the run up again', async () => {
    const world = await createWorld();
    const [old] = world.handles;
    const question = asks(old);
    await world.perform('lapse');
    await world.perform('restore here');
    expect(world.handles).toHaveLength(2);
    expect(await old?.outcome).toMatchObject({ status: 'failed', error: { code: 'lease_lost' } });
    expect(old?.approve(question)).toMatchObject({ accepted: false, code: 'ended' });
    expect(old?.deny('1.0')).toMatchObject({ accepted: false, code: 'ended' });
    expect(old?.cancel()).toMatchObject({ accepted: false, code: 'ended' });
    await world.close();
  });

  it('takes no answer on trust after a stall, and has ended once it has looked', async () => {
    const world = await createWorld();
    const [old] = world.handles;
    const question = asks(old);
    await world.perform('lapse');
    await world.perform('restore elsewhere');
    expect(old?.approve(question)).toMatchObject({ accepted: false, code: 'lapsed' });
    await expect(old?.saved()).rejects.toMatchObject({ code: 'lease_lost' });
    expect(old?.approve(question)).toMatchObject({ accepted: false, code: 'ended' });
    await world.close();
  });

  it('asks again after a stall in which nobody took the run over', async () => {
    const world = await createWorld();
    const [run] = world.handles;
    const question = asks(run);
    await world.perform('lapse');
    expect(run?.approve(question)).toMatchObject({ accepted: false, code: 'lapsed' });
    await run?.saved();
    expect(run?.approve(question)).toEqual({ accepted: true });
    const asked: number[] = [];
    for await (const event of run ?? []) {
      if (event.type === 'permission.requested') asked.push(event.questions.length);
      if (asked.length === 2) break;
    }
    expect(asked).toEqual([2, 2]);
    await world.close();
  });
});

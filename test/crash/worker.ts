import { createAgent } from '../../src/run/create-agent.ts';
import type { Run } from '../../src/run/run.types.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import { approveAll, payingAgent } from '../run/paying-agent.ts';

/** What the parent asks for; each is answered once. */
export type WorkerOrder =
  /** Starts so many runs, several at a time, and drives them to their ends. */
  | { readonly type: 'drive'; readonly prefix: string; readonly runs: number }
  /** Tries to take a run over; what came of it. */
  | { readonly type: 'take'; readonly runId: string }
  /** Drives the run that was taken to its end. */
  | { readonly type: 'finish' };

export type WorkerAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'driven'; readonly statuses: readonly string[]; readonly errors: string[] }
  | { readonly type: 'taken' }
  | { readonly type: 'refused'; readonly code: string; readonly owner: string | null }
  | { readonly type: 'finished'; readonly status: string; readonly effects: readonly string[] };

const [, , database = '', owner = ''] = process.argv;
const store = sqliteStore({ path: database });
const { options, effects } = payingAgent(store);
const agent = createAgent({ ...options, owner });
let taken: Run | null = null;

const say = (answer: WorkerAnswer) => process.send?.(answer);

async function drive(prefix: string, runs: number): Promise<WorkerAnswer> {
  const ids = Array.from({ length: runs }, (_, index) => `${prefix}-${index}`);
  const outcomes = await Promise.all(
    ids.map((runId) => approveAll(agent.start('pay both', { runId }))),
  );
  const errors = outcomes.flatMap((end) => (end.status === 'failed' ? [end.error.message] : []));
  return { type: 'driven', statuses: outcomes.map(({ status }) => status), errors };
}

async function take(runId: string): Promise<WorkerAnswer> {
  try {
    taken = await agent.restore(runId);
    return { type: 'taken' };
  } catch (thrown) {
    const { code = '', details } = thrown as { code?: string; details?: { owner?: string } };
    return { type: 'refused', code, owner: details?.owner ?? null };
  }
}

async function finish(): Promise<WorkerAnswer> {
  effects.length = 0;
  const status = taken === null ? 'nothing taken' : (await approveAll(taken)).status;
  taken = null;
  return { type: 'finished', status, effects: [...effects] };
}

process.on('message', async (order: WorkerOrder) => {
  if (order.type === 'drive') say(await drive(order.prefix, order.runs));
  else if (order.type === 'take') say(await take(order.runId));
  else say(await finish());
});
say({ type: 'ready' });

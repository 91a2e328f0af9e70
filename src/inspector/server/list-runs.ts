import type { RunStatus, RunStore, RunSummary } from '../../run/store/store.types.ts';
import type { RunList } from '../api.types.ts';
import { toRunRow } from './run-state.ts';

/** Runs shown at most. */
const MOST = 300;

const STATUSES: readonly string[] = [
  'running',
  'waiting',
  'suspended',
  'done',
  'failed',
  'cancelled',
];

export interface RunQuery {
  readonly status: string | null;
  /** Text that the prompt, the id, the status or a tool's name holds. */
  readonly search: string;
}

/** Lists runs for the page: waiting ones first, then the newest. */
export type RunLister = (query: RunQuery) => Promise<RunList>;

/** Makes a lister that remembers which tools a run called. */
export function listRuns(store: RunStore): RunLister {
  const tools = new Map<string, { records: number; names: Set<string> }>();

  const toolsOf = async ({ runId, records }: RunSummary): Promise<ReadonlySet<string>> => {
    const known = tools.get(runId) ?? { records: 0, names: new Set<string>() };
    tools.set(runId, known);
    if (known.records >= records) return known.names;
    for (const record of await store.read(runId, known.records).catch(() => [])) {
      known.records = record.seq + 1;
      if (record.kind !== 'event' || record.event.type !== 'xstate.done.actor.parseReply') continue;
      const { calls } = (record.event.output ?? {}) as { calls?: readonly { tool: string }[] };
      for (const { tool } of calls ?? []) known.names.add(tool.toLowerCase());
    }
    return known.names;
  };

  return async ({ status, search }) => {
    const wanted = search.trim().toLowerCase();
    const filter = STATUSES.includes(status ?? '') ? { status: status as RunStatus } : {};
    const runs = await store.list({ ...filter, limit: MOST });
    const found: RunSummary[] = [];
    for (const run of runs) {
      const text = `${run.runId}\n${run.prompt}\n${run.status}`.toLowerCase();
      if (text.includes(wanted)) found.push(run);
      else if ([...(await toolsOf(run))].some((name) => name.includes(wanted))) found.push(run);
    }
    const waits = (run: RunSummary) => (run.status === 'waiting' ? 0 : 1);
    return { runs: found.toSorted((a, b) => waits(a) - waits(b)).map(toRunRow) };
  };
}

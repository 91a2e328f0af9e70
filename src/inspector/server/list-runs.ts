import { RUN_STATUSES } from '../../run/run-status.ts';
import type { RunStatus, RunStore, RunSummary } from '../../run/store/store.types.ts';
import type { RunList } from '../api.types.ts';
import { toRunRow } from './run-state.ts';

/** Runs shown at most, those that wait left out. */
const MOST = 300;

/** Characters of a task in the list: every change sends all rows. */
const PROMPT = 300;

const STATUSES: readonly string[] = RUN_STATUSES;

export interface RunQuery {
  readonly status: string | null;
  /** Text that the prompt, the id, the status or a tool's name holds. */
  readonly search: string;
}

/** Lists runs for the page: all that wait first, then the newest. */
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

  const waitingRuns = () => store.list({ status: 'waiting', limit: 10_000 });

  return async ({ status, search }) => {
    const wanted = search.trim().toLowerCase();
    const filter = STATUSES.includes(status ?? '') ? { status: status as RunStatus } : {};
    const newest = await store.list({ ...filter, limit: MOST });
    const isCut = newest.length === MOST;
    // What waits for a person is never too old to be seen; what is searched for neither.
    const waiting = isCut && !('status' in filter) ? await waitingRuns() : [];
    const older =
      isCut && wanted !== '' ? await store.list({ ...filter, search: wanted, limit: MOST }) : [];
    const found: RunSummary[] = [];
    const runs = new Map([...newest, ...older, ...waiting].map((run) => [run.runId, run]));
    for (const run of runs.values()) {
      const text = `${run.runId}\n${run.prompt}\n${run.status}`.toLowerCase();
      if (text.includes(wanted)) found.push(run);
      else if ([...(await toolsOf(run))].some((name) => name.includes(wanted))) found.push(run);
    }
    const waits = (run: RunSummary) => (run.status === 'waiting' ? 0 : 1);
    const rows = found
      .toSorted((a, b) => waits(a) - waits(b))
      .map((run) => toRunRow({ ...run, prompt: start(run.prompt) }));
    return { runs: rows, ...(isCut && { newest: MOST }) };
  };
}

/** The start of a task, no character cut in two. */
function start(prompt: string): string {
  if (prompt.length <= PROMPT) return prompt;
  return `${prompt.slice(0, PROMPT).replace(/[\ud800-\udbff]$/u, '')}…`;
}

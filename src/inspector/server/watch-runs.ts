import type { RunStore } from '../../run/store/store.types.ts';
import { type FoldedRun, foldRun } from './fold-run.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { Standing } from './run-state.ts';

/** Folded runs that are kept; the one looked at longest ago goes first. */
const KEPT = 6;

/** A run of the store as far as it has been folded. */
export interface WatchedRun extends Standing {
  readonly folded: FoldedRun;
}

/** The runs of a store, folded as they grow, whoever drives them. */
export interface RunWatcher {
  /**
   * The run as it stands in the store now.
   * @throws AgentHubError `run_unknown`, or why it cannot be read.
   */
  look(runId: string): Promise<WatchedRun>;
}

/** Keeps one fold per run and adds only what is new. */
export function watchRuns(store: RunStore, { takesUp }: Pick<Standing, 'takesUp'>): RunWatcher {
  const kept = new Map<string, FoldedRun>();
  const inTurn = oneAtATime();

  const look = async (runId: string): Promise<WatchedRun> => {
    const summary = await store.summary(runId);
    const folded = kept.get(runId) ?? foldRun();
    kept.delete(runId);
    if (folded.rows.length < summary.records)
      await folded.add(await store.read(runId, folded.rows.length));
    kept.set(runId, folded);
    for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
    const isOpen = summary.status === 'waiting' || summary.status === 'suspended';
    return { summary, folded, takesUp, pending: isOpen ? await store.pending(runId) : [] };
  };

  return {
    // One look at a time per run: two must not fold the same records twice.
    look: (runId) => inTurn(runId, () => look(runId)),
  };
}

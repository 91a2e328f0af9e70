import type { LogRecord, RunStore } from '../../run/store/store.types.ts';

/**
 * A store whose runs were all written by nobody knows whom: each reads as an imported one, which
 * goes on only while no call of it is open, and under the lower limits (see `Runs.import`). An answer
 * that raises them and waits from before came with the store too: it is not taken. Nothing in the
 * store is changed.
 */
export function likeImported(store: RunStore): RunStore {
  /** Answers that waited when a run was taken up, by its id. */
  const broughtAlong = new Map<string, ReadonlySet<number>>();
  return {
    ...store,
    acquire: async (runId, request) => {
      const waiting = await store.pending(runId);
      const lease = await store.acquire(runId, request);
      broughtAlong.set(runId, new Set(waiting.map(({ id }) => id)));
      return lease;
    },
    pending: async (runId) => {
      const waiting = await store.pending(runId);
      const old = broughtAlong.get(runId);
      return waiting.filter(({ id, event }) => event.type !== 'run.resume' || !old?.has(id));
    },
    read: async (runId, from) => (await store.read(runId, from)).map(asImported),
  };
}

/** Nobody can tell which records came along, so none of them counts as the word of an agent here. */
function asImported(record: LogRecord): LogRecord {
  if (record.kind !== 'start') return record;
  return { ...record, imported: true, importedRecords: Number.MAX_SAFE_INTEGER };
}

import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { RunSummary } from '../run/store/store.types.ts';
import type { Io } from './io.ts';
import { runLines } from './run-lines.ts';
import type { StoredRuns } from './store.ts';
import { say } from './texts.ts';

/** Every stored run, in one list. */
const ALL = 1_000_000;

/** Runs named where one was not found. */
const MOST_NAMED = 5;

/**
 * The run with an id, or the only one whose id begins with the text.
 * @throws AgentHubError `not_found` or `ambiguous`, naming the runs there are.
 */
export async function findRun(
  text: string,
  { store, locale }: Pick<StoredRuns, 'store' | 'locale'>,
  io: Io,
): Promise<RunSummary> {
  const found = (await store.list({ search: text, limit: ALL })).filter(
    ({ runId }) => text !== '' && runId.startsWith(text),
  );
  const [only] = found;
  const exact = found.find(({ runId }) => runId === text);
  if (exact !== undefined) return exact;
  if (only !== undefined && found.length === 1) return only;
  const named = found.length > 0 ? found : await store.list({ limit: MOST_NAMED });
  const what = found.length > 0 ? 'ambiguousRun' : named.length > 0 ? 'unknownRun' : 'noRunAtAll';
  const lines = runLines(named.slice(0, 2 * MOST_NAMED), io, { locale, columns: 100 });
  throw new AgentHubError(
    found.length > 0 ? 'ambiguous' : 'not_found',
    [say(locale, what, { run: text, file: store.name, count: found.length }), ...lines].join('\n'),
  );
}

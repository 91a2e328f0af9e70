import { AgentHubError, toErrorData } from '../../machines/vocabulary/errors.ts';
import type { RunStore, RunSummary } from '../run/store/store.types.ts';
import type { Io } from './io.ts';
import { runLines } from './run-lines.ts';
import type { StoredRuns } from './store.ts';
import { say } from './texts.ts';

/** Runs asked for at first; more only where so many ids and tasks hold the text. */
const FEW = 100;

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
  const exact = await runNamed(text, store);
  if (exact !== null) return exact;
  const found = text === '' ? [] : await runsBeginning(text, store);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const named = found.length > 0 ? found : await store.list({ limit: MOST_NAMED });
  const what = found.length > 0 ? 'ambiguousRun' : named.length > 0 ? 'unknownRun' : 'noRunAtAll';
  const lines = runLines(named.slice(0, 2 * MOST_NAMED), io, { locale, columns: 100 });
  throw new AgentHubError(
    found.length > 0 ? 'ambiguous' : 'not_found',
    [say(locale, what, { run: text, file: store.name, count: found.length }), ...lines].join('\n'),
  );
}

async function runNamed(runId: string, store: RunStore): Promise<RunSummary | null> {
  try {
    return await store.summary(runId);
  } catch (thrown) {
    if (toErrorData(thrown, 'error').code === 'run_unknown') return null;
    throw thrown;
  }
}

async function runsBeginning(text: string, store: RunStore): Promise<readonly RunSummary[]> {
  for (let limit = FEW; ; limit *= 10) {
    const listed = await store.list({ search: text, limit });
    if (listed.length < limit) return listed.filter(({ runId }) => runId.startsWith(text));
  }
}

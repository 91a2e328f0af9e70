import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PublicEvent } from '../../machines/agent/agent.types.ts';
import {
  type Question,
  questionsOf,
  reportUsage,
  stateOf,
  todosOf,
} from '../../machines/agent/agent.view.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { judgeAnswer, refuse } from './answers.ts';
import { breather } from './breather.ts';
import { endRun } from './end-run.ts';
import {
  type AgentSnapshot,
  foldEvent,
  foldThrough,
  type LogReader,
  readingRecord,
  startOf,
} from './fold.ts';
import { readCalls } from './history/calls.ts';
import { type Flip, readFlips } from './history/policy-check.ts';
import { readTimeline } from './history/timeline.ts';
import { copyLog, exportLog, parseExport } from './history/transfer.ts';
import { readWhy } from './history/why.ts';
import { checkNames, checkRunId, parseOption, policiesSchema } from './options.ts';
import { answerReader, type ReadAnswer } from './read-answers.ts';
import { hasEnded } from './run-status.ts';
import type { PostedAnswer, Runs, RunsOptions } from './runs.types.ts';
import { deleteSchema, filterSchema, importSchema, parseText } from './runs-options.ts';
import type { InboxEntry, LogRecord, RunStore } from './store/store.types.ts';

const reader = answerReader(null);

/** The runs of a store. */
export function openRuns(store: RunStore, options: RunsOptions = {}): Runs {
  checkNames(options, ['now', 'patience'], 'options');
  const { now = Date.now, patience = 3_000 } = options;
  // Short: on a full disk a lease cannot be given back, and nobody else could cancel meanwhile.
  const ending = { owner: 'cancelling', ttl: 2_000 };

  /** Puts an answer into the inbox if the run, as it stands, would take it. */
  const post = async (
    runId: string,
    make: (questions: readonly Question[]) => ReadAnswer,
  ): Promise<PostedAnswer> => {
    const { drivenBy } = await store.summary(checkRunId(runId));
    const folded = await foldThrough(await store.read(runId));
    // As the run will be once it has taken the answers that wait: what is answered stays answered.
    const snapshot = (await store.pending(runId)).reduce(foldAnswer, folded);
    const read = make(questionsOf(snapshot));
    if (!read.ok) return { drivenBy, result: read.refusal };
    const { event } = read;
    const judged = judgeAnswer(snapshot, event);
    // Refused here, nothing is written. What a driver is doing right now may still change it there.
    if (!judged.accepted) return { drivenBy, result: judged };
    const id = await postUnlessEnded(runId, event);
    if (id === null) return { drivenBy, result: refuse('ended') };
    const until = Date.now() + patience;
    while (drivenBy !== null && Date.now() < until) {
      const result = await store.resultOf(id);
      if (result !== null) return { drivenBy, result };
      await sleep(50);
    }
    return { drivenBy, result: null };
  };

  /** It may have ended since it was looked at: then nobody is left to take the answer. */
  const postUnlessEnded = async (runId: string, event: PublicEvent): Promise<number | null> => {
    try {
      return await store.post(runId, event);
    } catch (thrown) {
      if (thrown instanceof AgentHubError && thrown.code === 'run_ended') return null;
      throw thrown;
    }
  };

  return {
    list: async (filter = {}) => store.list(parseOption(filterSchema, filter, 'filter')),
    show: async (runId) => {
      const summary = await store.summary(checkRunId(runId));
      const log = await store.read(runId);
      const [timeline, calls] = [readTimeline(), readCalls()];
      const snapshot = await foldThrough(log, timeline, calls);
      const waitingAnswers = (await store.pending(runId)).map(({ event }) => event);
      const { usage, rest, messages } = snapshot.context;
      return readingRecord(log.at(-1) as LogRecord, runId, () => ({
        ...summary,
        state: stateOf(snapshot),
        questions: snapshot.status === 'active' ? questionsOf(snapshot) : [],
        usage: reportUsage(usage),
        todos: todosOf(snapshot),
        rest,
        messages,
        timeline: timeline.told(),
        calls: calls.told(),
        waitingAnswers,
      }));
    },
    replay: async (runId, to) =>
      told(upTo(await store.read(checkRunId(runId)), to), readTimeline()),
    why: async (runId, callId) => told(await store.read(checkRunId(runId)), readWhy(callId)),
    approve: (runId, question, options) =>
      post(runId, (questions) => reader.approval({ question, options }, { at: now(), questions })),
    deny: (runId, question, options) =>
      post(runId, () => reader.denial({ question, options }, now())),
    cancel: async (runId, options) => {
      const read = reader.cancellation(options, now());
      const { drivenBy } = await store.summary(checkRunId(runId));
      if (drivenBy !== null || !read.ok) return post(runId, () => read);
      return endRun(store, { runId, event: read.event, request: ending });
    },
    resume: (runId, options) => post(runId, () => reader.resumption({ options }, now())),
    fork: async (runId, options) => {
      checkNames(options, ['at', 'policies', 'newId'], 'options');
      const { at = Number.NaN, policies, newId = randomUUID() } = options;
      if (policies !== undefined) parseOption(policiesSchema, policies, 'policies');
      const log = upTo(await store.read(checkRunId(runId)), at);
      const forkedFrom = { runId, seq: at };
      await copyLog(store, log, {
        runId: checkRunId(newId),
        forkedFrom,
        ...(policies && { policies }),
      });
      return newId;
    },
    checkPolicies: async (policies, filter = {}) => {
      parseOption(policiesSchema, policies, 'policies');
      const chosen = parseOption(filterSchema, filter, 'filter');
      const runs = await store.list({ limit: 10_000, ...chosen });
      const flips: Flip[] = [];
      const tools = new Set<string>();
      const unreadable: string[] = [];
      let decisions = 0;
      const breathe = breather();
      for (const { runId } of runs) {
        await breathe();
        try {
          const checked = await told(await store.read(runId), readFlips(policies));
          decisions += checked.decisions;
          flips.push(...checked.flips);
          for (const tool of checked.tools) tools.add(tool);
        } catch {
          unreadable.push(runId);
        }
      }
      return { runs: runs.length, decisions, flips, tools: [...tools], unreadable };
    },
    delete: async (runId, options = {}) => {
      const { force = false } = parseOption(deleteSchema, options, 'options');
      const { status } = await store.summary(checkRunId(runId));
      if (!force && !hasEnded(status))
        throw new AgentHubError(
          'not_ended',
          `Run ${runId} has not ended (${status}). Nothing was deleted; cancel it first.`,
          { runId, status },
        );
      await store.remove(runId);
    },
    export: async (runId) => exportLog(await store.read(checkRunId(runId))),
    import: async (text, options = {}) => {
      const { newId, isTrusted = false } = parseOption(importSchema, options, 'options');
      const log = await parseExport(parseText(text));
      const [start] = log;
      const runId = checkRunId(newId ?? (start?.kind === 'start' ? start.input.runId : ''));
      await copyLog(store, log, { runId, isImported: !isTrusted });
      return runId;
    },
  };
}

/** What a reader tells of a log. */
async function told<Told>(log: readonly LogRecord[], reader: LogReader<Told>): Promise<Told> {
  await foldThrough(log, reader);
  return readingRecord(log.at(-1) as LogRecord, startOf(log).input.runId, () => reader.told());
}

function foldAnswer(snapshot: AgentSnapshot, { event }: InboxEntry): AgentSnapshot {
  return judgeAnswer(snapshot, event).accepted ? foldEvent(snapshot, event) : snapshot;
}

function upTo(log: readonly LogRecord[], to: number | undefined): readonly LogRecord[] {
  if (to === undefined) return log;
  if (Number.isInteger(to) && to >= 0 && to < log.length) return log.slice(0, to + 1);
  throw new AgentHubError(
    'invalid_record',
    `There is no record ${to}: the log has records 0 to ${log.length - 1}.`,
    { to, last: log.length - 1 },
  );
}

import { batch, effect } from '@preact/signals';
import type {
  AnswerReply,
  AnswerRequest,
  ChartLayout,
  CoverageFile,
  QuestionCard,
  RunList,
  RunPage,
  RunState,
  StepDetail,
  StepRow,
} from '../api.types.ts';
import { getJson, postJson, type Received, readStream, takeFragment } from './api.ts';
import * as page from './state.ts';

let following = new AbortController();
let details = new Map<number, StepDetail>();

const pathOf = (runId: string) => `api/runs/${encodeURIComponent(runId)}`;

/** Starts reading everything. */
export function start(): void {
  const open = takeFragment();
  page.keepDocument();
  addEventListener('hashchange', () => {
    const wanted = takeFragment();
    if (page.connection.value === 'unauthorized') location.reload();
    else if (wanted !== null) selectRun(wanted);
  });
  getJson<ChartLayout>('chart.json').then((reply) => {
    if (reply.ok) page.layout.value = reply.value;
  });
  document.addEventListener('visibilitychange', follow);
  effect(searchRuns);
  effect(loadDetail);
  effect(() => {
    if (page.chartTab.value === 'coverage' && page.coverage.peek() === null) loadCoverage();
  });
  if (open === null) follow();
  else selectRun(open);
}

/** Milliseconds between two looks at the list while the page is out of sight. */
const GLANCE = 3_000;

/**
 * Follows the list of runs and the selected run, by one stream: a browser opens six connections to
 * a server, for all its tabs together. A page out of sight has none and looks at the list now and
 * then, for the badge; in sight again it catches up.
 */
function follow(): void {
  following.abort();
  following = new AbortController();
  const { signal } = following;
  const onState = (state: Exclude<page.Connection, 'connecting'>) => {
    if (!signal.aborted) page.connection.value = state;
  };
  if (document.hidden) {
    glance(signal, onState);
    return;
  }
  readStream({
    path: () => streamPath(signal),
    signal,
    lastId: () => page.steps.peek().length - 1,
    onState,
    onEvents: (events) => {
      if (!signal.aborted) takeEvents(events);
    },
  });
}

async function glance(
  signal: AbortSignal,
  onState: (state: 'open' | 'lost' | 'unauthorized') => void,
): Promise<void> {
  while (!signal.aborted) {
    const reply = await getJson<RunList>('api/runs', signal);
    if (signal.aborted) return;
    if (reply.ok) takeList(reply.value);
    if (!reply.ok && reply.status === 401) return onState('unauthorized');
    onState(reply.ok ? 'open' : 'lost');
    await new Promise((resolve) => setTimeout(resolve, GLANCE));
  }
}

/** Where to go on reading: of a run that cannot be read, its list alone. */
async function streamPath(signal: AbortSignal): Promise<string> {
  const runId = page.selectedRun.peek();
  if (runId === null) return 'api/runs/stream';
  if (page.run.peek() === null) {
    const reply = await getJson<RunPage>(pathOf(runId), signal);
    signal.throwIfAborted();
    if (!reply.ok) {
      if (reply.status === 0) throw new Error(reply.message);
      page.runProblem.value = reply.status === 401 ? null : reply;
      return 'api/runs/stream';
    }
    batch(() => {
      page.steps.value = reply.value.steps;
      page.run.value = reply.value.run;
      page.runProblem.value = null;
    });
  }
  return `${pathOf(runId)}/stream?list=1`;
}

let searching = new AbortController();

/** Asks the server which runs match, for it knows which tools they called. */
function searchRuns(): void {
  const text = page.search.value.trim();
  void page.runs.value;
  searching.abort();
  searching = new AbortController();
  if (text === '') {
    page.matches.value = null;
    return;
  }
  const { signal } = searching;
  getJson<RunList>(`api/runs?search=${encodeURIComponent(text)}`, signal).then((reply) => {
    if (reply.ok && !signal.aborted) page.matches.value = reply.value.runs;
  });
}

/** Shows a run and follows it. */
export function selectRun(runId: string): void {
  if (page.selectedRun.peek() === runId && page.run.peek() !== null) return;
  details = new Map();
  page.clearRun();
  page.selectedRun.value = runId;
  history.replaceState(null, '', `${location.pathname}#run=${encodeURIComponent(runId)}`);
  follow();
}

function takeList({ runs, newest }: RunList): void {
  page.runs.value = runs;
  page.newest.value = newest ?? null;
}

function takeEvents(events: readonly Received[]): void {
  const known = page.steps.peek();
  const added: StepRow[] = [];
  batch(() => {
    for (const { event, data } of events) {
      if (event === 'runs') takeList(data as RunList);
      const row = data as StepRow;
      if (event === 'step' && row.seq === known.length + added.length) added.push(row);
      if (event === 'run') {
        page.run.value = data as RunState;
        page.runProblem.value = null;
      }
      if (event === 'problem') page.runProblem.value = data as page.Problem;
    }
    if (added.length > 0) page.steps.value = [...known, ...added];
  });
  const first = page.runs.peek()?.[0];
  if (page.selectedRun.peek() === null && first !== undefined) selectRun(first.runId);
}

let loading = new AbortController();

/** Fetches the selected step; steps never change, so each is fetched once. */
function loadDetail(): void {
  const seq = page.selectedSeq.value;
  const runId = page.selectedRun.peek();
  // What could not be fetched while the server was away is fetched when it is back.
  void page.connection.value;
  loading.abort();
  if (seq === null || runId === null) return;
  const known = details.get(seq);
  if (known !== undefined) {
    page.detail.value = known;
    return;
  }
  loading = new AbortController();
  const { signal } = loading;
  getJson<StepDetail>(`${pathOf(runId)}/steps/${seq}`, signal).then((reply) => {
    if (signal.aborted) return;
    if (!reply.ok) {
      if (reply.status !== 0)
        page.notice.value = page.say('problem', { why: page.wordsFor(reply) });
      return;
    }
    details.set(seq, reply.value);
    page.detail.value = reply.value;
  });
}

async function loadCoverage(): Promise<void> {
  const reply = await getJson<CoverageFile>('coverage.json');
  page.coverage.value = reply.ok ? reply.value : 'none';
}

/** Selects a step, or live. */
export function selectStep(seq: number | null): void {
  const last = page.steps.peek().length - 1;
  page.selectedSeq.value = seq === null || last < 0 ? null : Math.max(0, Math.min(seq, last));
}

/** Goes a visible step on or back. */
export function stepBy(by: 1 | -1): void {
  const rows = page.visibleSteps.peek();
  const seq = page.selectedSeq.peek();
  if (seq === null) {
    if (by < 0) selectStep(rows.at(-2)?.seq ?? null);
    return;
  }
  const next = by > 0 ? rows.find((row) => row.seq > seq) : rows.findLast((row) => row.seq < seq);
  if (next !== undefined) selectStep(next.seq);
}

/** Decides about one call; says what became of it. Gives whether it counted. */
export async function decide(
  { callId, digest }: QuestionCard,
  answer: AnswerRequest['answer'],
  reason: string,
): Promise<boolean> {
  const runId = page.selectedRun.peek() ?? '';
  const request: AnswerRequest = { callId, answer, digest, ...(reason !== '' && { reason }) };
  const reply = await postJson<AnswerReply>(`${pathOf(runId)}/answer`, request);
  const words = () => {
    if (!reply.ok) return page.say('notTaken', { why: page.wordsFor(reply) });
    if (reply.value.result === null) return page.say('answeredWaits', { answer: page.say(answer) });
    return page.say(answer === 'approve' ? 'approved' : 'denied', { call: callId });
  };
  page.notice.value = words();
  return reply.ok;
}

/** Ends the run. */
export async function stopRun(): Promise<void> {
  const reply = await postJson<AnswerReply>(`${pathOf(page.selectedRun.peek() ?? '')}/cancel`, {});
  page.notice.value = reply.ok
    ? page.say('stopped')
    : page.say('notTaken', { why: page.wordsFor(reply) });
}

/** Tells the run to go on, a limit that stopped it raised. */
export async function goOn(limits: Readonly<Record<string, number>>): Promise<void> {
  const path = `${pathOf(page.selectedRun.peek() ?? '')}/resume`;
  const reply = await postJson<AnswerReply>(path, { limits });
  page.notice.value = reply.ok
    ? page.say('goesOn')
    : page.say('notTaken', { why: page.wordsFor(reply) });
}

/** The address of a question's picture. */
export function pictureOf(callId: string, which: 'input' | 'output'): string {
  const runId = page.selectedRun.peek() ?? '';
  return `${pathOf(runId)}/image?call=${encodeURIComponent(callId)}&which=${which}`;
}

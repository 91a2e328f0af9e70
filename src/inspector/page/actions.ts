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
import { isTextName } from './texts.ts';

let watching = new AbortController();
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
  watchRuns();
  effect(searchRuns);
  effect(loadDetail);
  effect(() => {
    if (page.chartTab.value === 'coverage' && page.coverage.peek() === null) loadCoverage();
  });
  if (open !== null) selectRun(open);
}

function watchRuns(): void {
  readStream({
    path: 'api/runs/stream',
    signal: new AbortController().signal,
    lastId: () => null,
    onState: (state) => {
      page.connection.value = state;
    },
    onEvents: (events) => {
      const last = events.findLast(({ event }) => event === 'runs');
      if (last === undefined) return;
      const { runs } = last.data as RunList;
      page.runs.value = runs;
      const [first] = runs;
      if (page.selectedRun.peek() === null && first !== undefined) selectRun(first.runId);
    },
  });
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
export async function selectRun(runId: string): Promise<void> {
  if (page.selectedRun.peek() === runId && page.run.peek() !== null) return;
  watching.abort();
  watching = new AbortController();
  details = new Map();
  const { signal } = watching;
  page.clearRun();
  page.selectedRun.value = runId;
  history.replaceState(null, '', `${location.pathname}#run=${encodeURIComponent(runId)}`);
  const reply = await getJson<RunPage>(pathOf(runId), signal);
  if (signal.aborted) return;
  if (!reply.ok) {
    page.runProblem.value = reply.status === 401 ? '' : reply.message;
    if (reply.status === 401) page.connection.value = 'unauthorized';
    return;
  }
  batch(() => {
    page.steps.value = reply.value.steps;
    page.run.value = reply.value.run;
  });
  await readStream({
    path: `${pathOf(runId)}/stream`,
    signal,
    lastId: () => page.steps.peek().length - 1,
    onState: (state) => {
      if (state !== 'open') page.connection.value = state;
    },
    onEvents: (events) => {
      if (!signal.aborted) takeEvents(events);
    },
  });
}

function takeEvents(events: readonly Received[]): void {
  const known = page.steps.peek();
  const added = events
    .filter(({ event }) => event === 'step')
    .map(({ data }) => data as StepRow)
    .filter(({ seq }, index) => seq === known.length + index);
  const state = events.findLast(({ event }) => event === 'run')?.data as RunState | undefined;
  const problem = events.findLast(({ event }) => event === 'problem')?.data;
  batch(() => {
    if (added.length > 0) page.steps.value = [...known, ...added];
    if (state !== undefined) page.run.value = state;
    if (problem !== undefined)
      page.runProblem.value = (problem as { readonly message: string }).message;
  });
}

let loading = new AbortController();

/** Fetches the selected step; steps never change, so each is fetched once. */
function loadDetail(): void {
  const seq = page.selectedSeq.value;
  const runId = page.selectedRun.peek();
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
    if (!reply.ok || signal.aborted) return;
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
    if (!reply.ok) return page.say('notTaken', { why: wordsFor(reply) });
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
    : page.say('notTaken', { why: wordsFor(reply) });
}

/** Tells the run to go on, a limit that stopped it raised. */
export async function goOn(limits: Readonly<Record<string, number>>): Promise<void> {
  const path = `${pathOf(page.selectedRun.peek() ?? '')}/resume`;
  const reply = await postJson<AnswerReply>(path, { limits });
  page.notice.value = reply.ok
    ? page.say('goesOn')
    : page.say('notTaken', { why: wordsFor(reply) });
}

function wordsFor({ code, message }: { readonly code: string; readonly message: string }): string {
  return isTextName(code) ? page.say(code) : message;
}

/** The address of a question's picture. */
export function pictureOf(callId: string, which: 'input' | 'output'): string {
  const runId = page.selectedRun.peek() ?? '';
  return `${pathOf(runId)}/image?call=${encodeURIComponent(callId)}&which=${which}`;
}

import type { SuspensionReason } from '../../machines/agent/agent.types.ts';
import type { LimitToRaise, Question, UsageReport } from '../../machines/agent/agent.view.ts';
import type { Consideration } from '../../machines/permission/evaluate.ts';
import type { Approval } from '../../machines/permission/reasons.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import type { TodoItem } from '../../machines/vocabulary/todos.ts';
import type { AnswerResult } from '../run/run.types.ts';
import type { ShownStatus } from '../run/run-status.ts';
import type { RunSummary } from '../run/store/store.types.ts';
import type { Witness } from '../testing/coverage.ts';

/*
 * What the page and its server say to each other. JSON over HTTP; every request under `/api/`
 * carries `Authorization: Bearer <token>`; errors are `{ error: { code, message } }` with a fitting
 * status. The page itself, its script, style and chart are served without a token: they hold no run.
 *
 *   GET  /api/runs?status=&search=           RunList
 *   GET  /api/runs/stream                    server-sent events: `runs` with a RunList
 *   GET  /api/runs/<run>                     RunPage
 *   GET  /api/runs/<run>/steps/<seq>         StepDetail
 *   GET  /api/runs/<run>/stream?after=<seq>  server-sent events, `id: <seq>`: `step` with a StepRow,
 *                                            `run` with a RunState; `Last-Event-ID` goes before `after`;
 *                                            with `list=1` also `runs`, as above: one stream for a page
 *        Either tells `problem` with { code, message } when it cannot be read.
 *   GET  /api/runs/<run>/image?call=<id>&which=input|output   a thumbnail (PNG) of a file that an
 *                                            open question of the run names; never a path of the URL's
 *   POST /api/runs/<run>/answer              AnswerRequest → AnswerReply; 409 when stale or answered
 *   POST /api/runs/<run>/cancel              {} → AnswerReply
 *   POST /api/runs/<run>/resume              { limits? } → AnswerReply; see `RunState.goesOn`
 *   GET  /chart.json                         the layout of the chart (static)
 *   GET  /coverage.json                      Coverage, from docs/verification.json (static; may be missing)
 */

/** A run in the list. */
export interface RunRow extends RunSummary {
  /** For people: `interrupted` where it says running and nobody drives it. */
  readonly shownStatus: ShownStatus;
}

export interface RunList {
  /** Waiting runs first, then the newest; of long tasks the start. */
  readonly runs: readonly RunRow[];
  /** There may be more: beside what waits, and what is searched for, only so many are listed. */
  readonly newest?: number;
}

/** One record of the log as a row of the timeline. */
export interface StepRow {
  readonly seq: number;
  readonly at: number;
  /** Milliseconds the work took that this record ends; null where it ends none. */
  readonly ms: number | null;
  readonly kind: 'model' | 'hook' | 'tool' | 'person' | 'engine';
  /** In few words: `callModel`, `PreToolUse`, `image_scaling 1.0`, `granted 1.0`. */
  readonly what: string;
  /** Where the run stands after it, such as `awaitPermission.asking`. */
  readonly state: string;
  /** Transitions taken, by their index in the chart's list. */
  readonly transitions: readonly number[];
  readonly failed: boolean;
  readonly callId: string | null;
  /** As reported for the requests that this record ends; null where it ends none. */
  readonly tokens: {
    readonly input: number | 'unknown';
    readonly output: number | 'unknown';
  } | null;
}

/** An open question, with what the page needs to show and answer it. */
export interface QuestionCard extends Question {
  /** SHA-256 of `shown`, in hexadecimal: what an answer is bound to. */
  readonly digest: string;
  /** Every rule looked at for it. */
  readonly considered: readonly Consideration[];
  /** What was looked up about the call; the decision rests on it, and an answer is bound to it. */
  readonly facts: Json;
  /** Which pictures there are to look at. */
  readonly images: { readonly input: boolean; readonly output: boolean };
  /** What somebody answered already, while it waits for a process that drives the run. */
  readonly answered: 'approve' | 'deny' | null;
}

/** A run as it stands, or as it stood at a step. */
export interface RunState {
  readonly summary: RunRow;
  /** The record it stands after. */
  readonly seq: number;
  readonly state: string;
  readonly turn: number;
  readonly usage: UsageReport;
  readonly todos: readonly TodoItem[];
  readonly questions: readonly QuestionCard[];
  readonly answer: string | null;
  readonly suspension: {
    readonly reason: SuspensionReason;
    readonly message: string;
    /** What a person must raise for it to go on. */
    readonly limit: LimitToRaise | null;
  } | null;
  /**
   * What telling the run to go on would do now. `here`: nobody drives it and this server takes it
   * up; `driver`: it is suspended and whoever drives it resumes it; null: nothing.
   */
  readonly goesOn: 'here' | 'driver' | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface RunPage {
  readonly run: RunState;
  readonly steps: readonly StepRow[];
}

/** One value of the context that a step changed. */
export interface Difference {
  /** Such as `calls.0.stage`. */
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
}

/** A step in full, and the run as it stood after it. */
export interface StepDetail {
  readonly row: StepRow;
  readonly run: RunState;
  /** The raw record. */
  readonly record: Json;
  /** What the work was given; null where the record ends none. */
  readonly input: Json;
  readonly output: Json;
  readonly differences: readonly Difference[];
}

export interface AnswerRequest {
  readonly callId: string;
  readonly answer: 'approve' | 'deny';
  /** What the person was shown; see {@link QuestionCard.digest}. */
  readonly digest: string;
  /** Default everything that is missing. */
  readonly approvals?: readonly Approval[];
  /** Goes to the model with a denial. */
  readonly reason?: string;
}

export interface AnswerReply {
  /** Null when nobody drives the run: the answer waits until somebody does. */
  readonly result: AnswerResult | null;
  readonly drivenBy: string | null;
}

/** The chart as laid out: plain numbers, drawn as SVG. */
export interface ChartLayout {
  /** SHA-256 of the graph it was made from, and of how it is made. */
  readonly hash: string;
  readonly width: number;
  readonly height: number;
  readonly states: readonly {
    readonly id: string;
    readonly label: string;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    /** `initial`: the dot before a first state. `anywhere`: stands for every state. */
    readonly kind: 'atomic' | 'compound' | 'final' | 'initial' | 'anywhere';
    /** `invoke callModel`, under the label; empty for none. */
    readonly detail: string;
  }[];
  readonly edges: readonly {
    readonly source: string;
    readonly target: string;
    /** Indices into the chart's transitions that this line stands for; none for an initial dot. */
    readonly transitions: readonly number[];
    readonly kind: 'event' | 'done' | 'error' | 'always';
    readonly points: readonly (readonly [number, number])[];
    /** One row per transition. */
    readonly labels: readonly { readonly text: string; readonly x: number; readonly y: number }[];
  }[];
}

/** What generated paths covered of the chart. */
export interface CoverageFile {
  readonly paths: number;
  readonly microsteps: number;
  /** How often each transition of the chart was taken, by its index. */
  readonly taken: readonly number[];
  /** For each transition the first path that took it. */
  readonly witnesses: readonly Witness[];
}

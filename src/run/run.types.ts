import type { Limits, Rest } from '../../machines/agent/agent.types.ts';
import type { Question, UsageReport } from '../../machines/agent/agent.view.ts';
import type { HookEvent } from '../../machines/agent/matcher.ts';
import type { Approval, Reason } from '../../machines/permission/reasons.ts';
import type { ErrorData } from '../../machines/vocabulary/errors.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import type { Message, Outcome } from '../../machines/vocabulary/messages.ts';
import type { ModelDelta, RequestRecord } from '../../machines/vocabulary/model.ts';
import type { TodoItem } from '../../machines/vocabulary/todos.ts';

/** What every step of a trace says. Times are milliseconds since the epoch. */
interface StepPart {
  /** 1, 2, 3 … within the run, in the order they began. */
  readonly id: number;
  readonly turn: number;
  readonly startedAt: number;
  /** Null while it is open. No step is open once the run has ended. */
  readonly endedAt: number | null;
}

/** One request for a reply, with every attempt the client made for it. */
export interface ModelStep extends StepPart {
  readonly kind: 'model';
  /** The model's name. */
  readonly model: string;
  readonly status: 'open' | 'ok' | 'error' | 'cancelled';
  readonly requests: readonly RequestRecord[];
  /** Characters (UTF-16 units) of text in the reply. */
  readonly characters: number;
  /** Tool calls in the reply. */
  readonly calls: number;
  readonly error: ErrorData | null;
}

/** One hook, as it ran. */
export interface HookStep extends StepPart {
  readonly kind: 'hook';
  readonly event: HookEvent;
  /** The hook's name. */
  readonly hook: string;
  /** What it decided; `failed` when `error` says why. */
  readonly verdict: string;
  readonly error: ErrorData | null;
}

/** What the evaluator said of one call, with all reasons. Takes no time. */
export interface DecisionStep extends StepPart {
  readonly kind: 'decision';
  readonly callId: string;
  readonly tool: string;
  readonly action: 'allow' | 'ask' | 'deny';
  /** For a call that ended here without the evaluator's word: how. */
  readonly outcome: Outcome | null;
  readonly reasons: readonly Reason[];
}

/** A question to a person, from being asked to its answer. */
export interface PersonStep extends StepPart {
  readonly kind: 'person';
  readonly callId: string;
  readonly tool: string;
  readonly reasons: readonly Reason[];
  /** `expired`: the deadline passed. */
  readonly answer: 'open' | 'granted' | 'denied' | 'expired' | 'cancelled';
  /** What was approved. */
  readonly approvals: readonly Approval[];
  /** Who answered, or null. */
  readonly by: string | null;
}

/** One start of a tool. */
export interface ToolStep extends StepPart {
  readonly kind: 'tool';
  readonly callId: string;
  readonly tool: string;
  /** 1 for the first start of the call. */
  readonly attempt: number;
  readonly input: Json;
  /** How it came out: `ok`, `error`, `timeout`, `unknown` or `cancelled`. */
  readonly outcome: 'open' | Outcome;
  /** Bytes of UTF-8 the tool answered, before capping. */
  readonly bytes: number;
  /** What it answered, capped. */
  readonly content: string;
}

/** One entry of a run's trace. */
export type Step = ModelStep | HookStep | DecisionStep | PersonStep | ToolStep;

/** What a run tells while it goes on. */
export type RunEvent =
  /** The chart entered a state, such as `awaitPermission.asking`. */
  | { readonly type: 'state'; readonly state: string; readonly at: number }
  /**
   * A piece of the model's reply. Not part of the trace, and told only once: the first reader is
   * given, as fewer and longer pieces, what came before it; others what comes after they begin.
   */
  | { readonly type: 'delta'; readonly turn: number; readonly delta: ModelDelta }
  | { readonly type: 'step.started'; readonly step: Step }
  | { readonly type: 'step.finished'; readonly step: Step }
  /** The run waits for a person; all open questions. */
  | { readonly type: 'permission.requested'; readonly questions: readonly Question[] }
  | { readonly type: 'todos'; readonly todos: readonly TodoItem[] }
  | { readonly type: 'rest'; readonly outcome: RunOutcome };

/** `Run.close` let go of the run before it came to rest: with a store it can be restored. */
export interface Closed {
  readonly status: 'closed';
}

/** How a run came to rest, with what it leaves. */
export type RunOutcome = (Rest | Closed) & RunLeavings;

/** What a run leaves, however it ended. */
export interface RunLeavings {
  readonly runId: string;
  /** Requests, tokens, messages and characters of the whole run. */
  readonly usage: UsageReport;
  /** The to-do list as it was left. */
  readonly todos: readonly TodoItem[];
  /** The whole conversation; hand it to the next run as `history`. */
  readonly messages: readonly Message[];
}

/** An answer that was refused: it changes nothing. */
export interface Refusal {
  readonly accepted: false;
  /**
   * `not_asked`: no open question for that call. `stale`: it was for something else. `invalid_answer`:
   * it has not the form of one. `lapsed`: the process stood still for longer than its lease; once
   * `saved()` resolves the run is driven here still, and can be answered.
   */
  readonly code:
    | 'not_asked'
    | 'stale'
    | 'not_missing'
    | 'ended'
    | 'not_suspended'
    | 'not_raised'
    | 'not_an_answer'
    | 'invalid_answer'
    | 'lapsed';
  readonly message: string;
}

/** What became of an answer. Refused ones change nothing. */
export type AnswerResult = { readonly accepted: true } | Refusal;

/**
 * What an approval is bound to: a question as the person saw it, or its `callId` and `shown`. Where
 * `missing` is left out, it is what is missing now.
 */
export type AskedQuestion = Pick<Question, 'callId' | 'shown'> & Partial<Pick<Question, 'missing'>>;

/** How an answer is given. */
export interface AnswerOptions {
  /** Who answers; the default is `host`. */
  readonly by?: string;
}

/** How an approval is given. */
export interface ApproveOptions extends AnswerOptions {
  /** What is approved; the default is all that the question says is missing. */
  readonly approvals?: readonly Approval[];
  /** When the approval ends, in milliseconds since the epoch. */
  readonly expiresAt?: number;
}

/** A run of an agent. Iterate it for its events from the start until it rests. */
export interface Run extends AsyncIterable<RunEvent> {
  /** The run's id, under which a store keeps it. */
  readonly id: string;
  /** Where the chart stands, such as `execute`. */
  readonly state: string;
  /** The questions that wait for a person now. */
  readonly questions: readonly Question[];
  /** The steps so far, open ones included: a list that stays as it was. */
  readonly trace: readonly Step[];
  /** Requests, tokens, messages and characters so far. */
  readonly usage: UsageReport;
  /** The to-do list as it stands. */
  readonly todos: readonly TodoItem[];
  /**
   * Resolves when the run rests: done, suspended, failed or cancelled; or `closed`, when it was let
   * go of before. It never rejects. After `resume`, or `cancel` of a suspended run, it is a new
   * promise.
   */
  readonly outcome: Promise<RunOutcome>;
  /**
   * Approves one call as a question showed it: one grant is for one start of that call, and of nothing
   * that has changed since. There is no approval by a call's id alone.
   */
  approve(question: AskedQuestion, options?: ApproveOptions): AnswerResult;
  /** Denies one call, by its question or its id; the reason goes to the model. */
  deny(
    question: string | Pick<Question, 'callId'>,
    reason?: string,
    options?: AnswerOptions,
  ): AnswerResult;
  /** Ends the run: signals abort, nothing starts any more. */
  cancel(options?: AnswerOptions): AnswerResult;
  /** Goes on after a suspension; a limit that stopped the run must be raised. */
  resume(limits?: Partial<Limits>, options?: AnswerOptions): AnswerResult;
  /**
   * Resolves once everything up to now is stored, and the run is known to be driven here; at once
   * without a store. Rejects when it cannot be: then the run has failed. An answer that others rely
   * on is given when this has resolved.
   */
  saved(): Promise<void>;
  /**
   * Lets go of a run that has not ended: its actors are stopped, and with a store any process may
   * go on with it from where it is. Without one it is gone. An `outcome` that is not
   * there yet resolves as `closed`.
   */
  close(): Promise<void>;
}

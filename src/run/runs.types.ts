import type { AgentSnapshot } from '../../machines/agent/agent.machine.ts';
import type { Limits, PublicEvent } from '../../machines/agent/agent.types.ts';
import type { Question } from '../../machines/agent/agent.view.ts';
import type { Policies } from '../../machines/permission/policies.ts';
import type { Message } from '../../machines/vocabulary/messages.ts';
import type { StoredCall } from './history/calls.ts';
import type { Flip } from './history/policy-check.ts';
import type { TimelineEntry } from './history/timeline.ts';
import type { Explanation } from './history/why.types.ts';
import type { AnswerResult, ApproveOptions, AskedQuestion, RunOutcome } from './run.types.ts';
import type { RunFilter, RunSummary } from './store/store.types.ts';

/** A stored run as a person looks at it. */
export interface StoredRun extends RunSummary {
  /** Where the chart stands, such as `awaitPermission.asking`. */
  readonly state: string;
  /** The questions that wait for a person. */
  readonly questions: readonly Question[];
  readonly usage: RunOutcome['usage'];
  readonly todos: RunOutcome['todos'];
  /** How it came to rest, or null while it has not. */
  readonly rest: AgentSnapshot['context']['rest'];
  readonly messages: readonly Message[];
  /** One entry per record of the log. */
  readonly timeline: readonly TimelineEntry[];
  /** Every call, with all decisions about it. */
  readonly calls: readonly StoredCall[];
  /** Answers that nobody has taken yet, oldest first. */
  readonly waitingAnswers: readonly PublicEvent[];
}

/** What became of an answer to a stored run. */
export type PostedAnswer = {
  /** Who drives the run, or null: then the answer waits until somebody does. */
  readonly drivenBy: string | null;
  /** Null while it waits. */
  readonly result: AnswerResult | null;
};

/** Who answers a stored run. */
export interface PersonOptions {
  /** Who answers. */
  readonly by: string;
}

/** The stored runs, from any process: to look at, to answer, to copy. It drives none. */
export interface Runs {
  /** Newest first. */
  list(filter?: RunFilter): Promise<readonly RunSummary[]>;
  /** One run in full. @throws AgentHubError a `StoreErrorCode`, or `version_mismatch`. */
  show(runId: string): Promise<StoredRun>;
  /** The run as it was after record `to`; read only. */
  replay(runId: string, to?: number): Promise<readonly TimelineEntry[]>;
  /** What was considered about a call and what decided. @throws AgentHubError `call_unknown`. */
  why(runId: string, callId: string): Promise<Explanation>;
  /**
   * Posts an approval of a question as the person saw it: of all that it says is missing, or of
   * `approvals`; until `expiresAt`, in milliseconds since the epoch.
   */
  approve(
    runId: string,
    question: AskedQuestion,
    options: PersonOptions & Omit<ApproveOptions, 'by'>,
  ): Promise<PostedAnswer>;
  /** Posts a denial, of a question or a call's id; the reason goes to the model. */
  deny(
    runId: string,
    question: string | Pick<Question, 'callId'>,
    options: PersonOptions & { readonly reason?: string },
  ): Promise<PostedAnswer>;
  /**
   * Cancels a run: at once where nobody drives it, whatever policies and hooks it began with; else
   * its driver is asked to.
   */
  cancel(runId: string, options: PersonOptions): Promise<PostedAnswer>;
  /** Posts a resumption, with the limits to raise. */
  resume(
    runId: string,
    options: PersonOptions & { readonly limits?: Partial<Limits> },
  ): Promise<PostedAnswer>;
  /**
   * A new run from a run's records 0 to `at`; gives its id.
   * @throws AgentHubError `fork_diverges` where other policies would have led elsewhere,
   * `fork_under_way` where a call is approved or started: it would start a second time.
   */
  fork(
    runId: string,
    options: { readonly at: number; readonly policies?: Policies; readonly newId?: string },
  ): Promise<string>;
  /** Which decisions of the stored runs other policies would change. */
  checkPolicies(
    policies: Policies,
    filter?: RunFilter,
  ): Promise<{
    readonly runs: number;
    readonly decisions: number;
    readonly flips: readonly Flip[];
    /** The tools that decisions were about. */
    readonly tools: readonly string[];
    readonly unreadable: readonly string[];
  }>;
  /**
   * Takes a run that has ended out of the store, with its log; with `force` any that nobody drives,
   * such as one whose log cannot be read.
   * @throws AgentHubError `not_ended` for one that has not: cancel it first.
   */
  delete(runId: string, options?: { readonly force?: boolean }): Promise<void>;
  /** A run as NDJSON; see `import`. */
  export(runId: string): Promise<string>;
  /**
   * Writes an exported run as one that nobody drives, and gives its id. It can be looked at, asked
   * why, and forked. It goes on only while no call of it is open: what a file says was approved, or
   * let pass by hooks, lets nothing start here; and under no higher limits than those of the agent
   * that takes it up first. `isTrusted` says that the file is one's own. The run is there with its
   * whole log or not at all.
   * @throws AgentHubError `invalid_export`, `run_exists`, `version_mismatch`, `log_corrupt`, or a
   * `store_…` code; nothing was written then.
   */
  import(
    text: string,
    options?: { readonly newId?: string; readonly isTrusted?: boolean },
  ): Promise<string>;
}

/** How stored runs are worked with. */
export interface RunsOptions {
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds to wait for a live driver to take an answer. Default 3 000. */
  readonly patience?: number;
}

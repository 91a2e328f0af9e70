import type { InspectionEvent, Observer } from 'xstate';
import type { agentMachine } from '../../machines/agent/agent.machine.ts';
import type { AgentInput, Limits } from '../../machines/agent/agent.types.ts';
import type { Policies } from '../../machines/permission/policies.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Message } from '../../machines/vocabulary/messages.ts';
import type { ToolSpec } from '../../machines/vocabulary/model.ts';
import type { Hook } from '../hooks/hook.types.ts';
import type { Model } from '../model/model.types.ts';
import type { Protocol } from '../protocol/protocol.types.ts';
import type { Tool } from '../tools/tool.types.ts';
import type { Run, RunEvent } from './run.types.ts';
import type { RunStore } from './store/store.types.ts';

/** What an agent is made of. Only `model` is required. */
export interface AgentOptions {
  /** Who answers: `openaiModel`, `offlineModel` (agenthub/offline), `scriptedModel`, or a `Model` of your own. Required. */
  readonly model: Model;
  /** How steps are written. Default `native-calls`. */
  readonly protocol?: Protocol['name'] | Protocol;
  /** Instructions for the model, before everything else. Default none. */
  readonly instructions?: string;
  /** What the model may call. Default none; see `createDefaultTools` and `defineTool`. */
  readonly tools?: readonly Tool[];
  /** In the order they run; see `defineHook`. Default none. */
  readonly hooks?: readonly Hook[];
  readonly permissions?: {
    /** By tool name, over `DEFAULT_POLICIES`; a tool without one is denied. Default none. */
    readonly policies?: Policies;
  };
  /**
   * How far a run may go. What is left out is as in `DEFAULT_LIMITS`; without a store, with ten
   * minutes for a person to answer.
   */
  readonly limits?: Partial<Limits>;
  /** The language of everything said to the model and of the texts in errors. Default `en`. */
  readonly locale?: Locale;
  /** Bytes of UTF-8 that a tool's result may have; more is cut off and marked. Default 32 000. */
  readonly maxResultBytes?: number;
  /** Tools of one run that may run at the same time. Default 4. */
  readonly maxParallelTools?: number;
  /** Milliseconds for looking up what a call would touch. Default 10 000. */
  readonly inspectTimeout?: number;
  /** Passed to `createActor` of every run; what it throws harms nothing. */
  readonly inspect?: Observer<InspectionEvent> | ((event: InspectionEvent) => void);
  /**
   * Called with every event of every run, in order, once the run has come to its next state: it may
   * answer or cancel at once. What it throws harms nothing.
   */
  readonly onEvent?: (event: RunEvent, run: { readonly id: string }) => void;
  /** Where runs are kept; see `memoryStore` and `sqliteStore`. Default nowhere. */
  readonly store?: RunStore;
  /** Who drives a stored run, for people. Default host name and process id. */
  readonly owner?: string;
  /** Milliseconds after which the run of a process that died may be taken over. Default 15 000. */
  readonly leaseTime?: number;
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number;
  /** A new run id. Default a random UUID. */
  readonly createId?: () => string;
}

/** What a run may be given beside its prompt. */
export interface StartOptions {
  /** Messages of earlier runs: the `messages` of an outcome. */
  readonly history?: readonly Message[];
  /** Raises or lowers limits for this run. */
  readonly limits?: Partial<Limits>;
  /** Its id: one line of 1 to 200 characters. Default what `createId` gives. */
  readonly runId?: string;
}

/** A ready agent. Nobody can change it. It drives a run through one handle at a time. */
export interface Agent {
  /**
   * The machine with its ports filled in, for hosts that start the actor themselves. Of an agent with
   * a store its ports refuse such an actor (`not_driven`): it has no log.
   */
  readonly machine: typeof agentMachine;
  /** What `machine` takes as input for a run. */
  input(prompt: string, options?: StartOptions): AgentInput;
  /**
   * Starts a run.
   * @throws AgentHubError `invalid_prompt`, `invalid_history` or `invalid_options` for what cannot be
   * used, `run_driven` for the id of a run that this agent drives, or is just taking up.
   */
  start(prompt: string, options?: StartOptions): Run;
  /**
   * Goes on with a stored run, from exactly where its log ends. A tool that had started and left no
   * result is not started again unless it is `safeToRepeat`: a person decides. A handle of this agent
   * whose lease has lapsed ends by it, as `lease_lost`; while it holds, the run is `run_driven`.
   * @throws AgentHubError a `StoreErrorCode`, or `no_store`, `run_ended`, `version_mismatch`,
   * `policies_changed`, `hooks_changed`, `tools_changed`, `imported_calls`; nothing was written then.
   */
  restore(runId: string): Promise<Run>;
  /** The tools as the model is told about them. */
  readonly tools: readonly ToolSpec[];
  /** The policies in effect: the shipped ones with yours over them. */
  readonly policies: Policies;
  /** The limits of a run that is given none of its own. */
  readonly limits: Limits;
  /** The model's name. */
  readonly model: string;
}

import type { AgentSnapshot } from '../../../machines/agent/agent.machine.ts';
import type {
  CheckedCall,
  Limits,
  PreToolVerdict,
  ToolOutput,
} from '../../../machines/agent/agent.types.ts';
import type { HookEvent } from '../../../machines/agent/matcher.ts';
import type { Facts } from '../../../machines/permission/evaluate.ts';
import type { Policies } from '../../../machines/permission/policies.ts';
import type { ErrorData } from '../../../machines/vocabulary/errors.ts';

export type { AgentSnapshot };

/** An event of the exploration: what the chart is sent, and a short name for people. */
export interface WorldEvent {
  readonly type: string;
  /** Such as `tool.1.0 → unknown`; unique among the events of one state. */
  readonly label: string;
  readonly [payload: string]: unknown;
}

/** One thing a call may turn out to touch. */
export interface FactsVariant {
  readonly name: string;
  readonly facts: Partial<Facts>;
}

/** A look-up of facts that fails. */
export interface FactsFailure {
  readonly name: string;
  readonly error: ErrorData;
}

/** A call that a model may ask for, and what may become of it before it runs. */
export interface WorldCall extends CheckedCall {
  /** What it may turn out to touch; by default what the world says. */
  readonly facts?: readonly (FactsVariant | FactsFailure)[];
  /** What its PreToolUse hooks may answer; by default every verdict of the world. */
  readonly hookAnswers?: readonly PreToolVerdict[];
}

/**
 * What may happen around the machine: every answer that its actors and people may give. An
 * exploration is as complete as its world.
 */
export interface World {
  /** Hook events with a hook registered (its matcher `*`). */
  readonly hooks: readonly HookEvent[];
  readonly limits: Limits;
  readonly policies: Policies;
  /** Calls a model may ask for. A reply holds any combination of them. */
  readonly calls: readonly WorldCall[];
  /** How many calls one reply may hold. */
  readonly callsPerReply: readonly number[];
  readonly preToolVerdicts: readonly PreToolVerdict['verdict'][];
  /** Whether a hook's or inspection's answer may leave a call out. */
  readonly omissions: boolean;
  /** Whether actors may fail as a whole. */
  readonly crashes: boolean;
  readonly facts: readonly FactsVariant[];
  readonly toolOutcomes: readonly (ToolOutput['outcome'] | 'crash')[];
  /** `expired`: ends as it is given. `brief`: ends before a start that does not come about. */
  readonly grants: readonly ('full' | 'partial' | 'expired' | 'brief')[];
  /** How much time and how many tokens one model request may take. */
  readonly modelCosts: readonly { readonly ms: number; readonly tokens: number }[];
  /** Limits a person may raise to, once per limit; null: nobody resumes. */
  readonly raisedLimits: Partial<Limits> | null;
  readonly cancel: boolean;
  /** Whether people also give answers that nobody asked for, or that fit no more. */
  readonly strayAnswers: boolean;
}

/** A world with a name, and how many of its edges are replayed on live actors. */
export interface NamedWorld {
  readonly name: string;
  readonly world: World;
  /** `all`, or one in so many, spread over the space; the first of each kind always. */
  readonly replay: 'all' | number;
}

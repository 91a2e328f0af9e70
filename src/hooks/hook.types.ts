import type { HookEvent } from '../../machines/agent/matcher.ts';
import type { Json, Locale } from '../../machines/vocabulary/json.ts';
import type { Message, Outcome } from '../../machines/vocabulary/messages.ts';
import type { TodoItem } from '../../machines/vocabulary/todos.ts';

/** What every hook is told about the run. Read only. */
export interface HookRunView {
  readonly runId: string;
  readonly prompt: string;
  readonly turn: number;
  readonly messages: readonly Message[];
  readonly todos: readonly TodoItem[];
  readonly locale: Locale;
}

/** What a hook is given, by event. */
export interface HookInputs {
  UserPromptSubmit: HookRunView;
  PreToolUse: HookRunView & {
    readonly callId: string;
    readonly tool: string;
    /** The input as earlier hooks left it. */
    readonly input: Json;
    /** The input as the model gave it. */
    readonly requestedInput: Json;
  };
  PostToolUse: HookRunView & {
    readonly callId: string;
    readonly tool: string;
    readonly input: Json;
    readonly outcome: Outcome;
    /** What the model would see, as earlier hooks left it. */
    readonly content: string;
    /** The tool's own time in milliseconds. */
    readonly ms: number;
  };
  Stop: HookRunView & {
    readonly answer: string;
    /** How often Stop hooks have blocked in this run. */
    readonly stopBlocks: number;
  };
}

/** The words a verdict comes with: required where it does not let pass. */
interface Passing<Decision extends string> {
  readonly decision: Decision;
  /** Not kept. */
  readonly reason?: string;
}
interface Tightening<Decision extends string> {
  readonly decision: Decision;
  /** Why, not empty; a Stop hook says what is left to do. Goes to the model. */
  readonly reason: string;
}

/**
 * What a hook may answer, by event. The three gates must say `decision`: an answer without one,
 * or with a property not listed here, counts as a failure of the hook, and the gate closes.
 */
export interface HookOutputs {
  UserPromptSubmit: (Passing<'proceed'> | Tightening<'block'>) & {
    /** Goes to the model beside the person's words. */
    readonly context?: string;
  };
  PreToolUse: (Passing<'proceed'> | Tightening<'ask' | 'block'>) & {
    /** Goes to the model with the call's observation. */
    readonly context?: string;
    /** Replaces the whole input; validated again. */
    readonly input?: Json;
  };
  PostToolUse: {
    /** Goes to the model with the call's observation. */
    readonly context?: string;
    /** Replaces what the model sees of the result. */
    readonly content?: string;
  };
  Stop: Passing<'allow'> | Tightening<'block'>;
}

/** A hook: a function that runs at one event. */
export interface Hook<Event extends HookEvent = HookEvent> {
  /** Unique among the agent's hooks; shown in reasons and in the trace. */
  readonly name: string;
  readonly event: Event;
  /** Which tools, for PreToolUse and PostToolUse: a name, `a|b`, a regular expression, or `*`. */
  readonly matcher: string;
  /** Milliseconds until it counts as failed. */
  readonly timeout: number;
  run(
    input: HookInputs[Event],
    context: { readonly signal: AbortSignal },
  ): Promise<HookOutputs[Event]> | HookOutputs[Event];
}

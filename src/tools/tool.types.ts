import type { z } from 'zod';
import type { Facts } from '../../machines/permission/evaluate.ts';
import type { JsonObject, LocalizedText } from '../../machines/vocabulary/json.ts';
import type { Message } from '../../machines/vocabulary/messages.ts';

/** What a running tool is given beside its input. */
export interface ToolContext {
  /** Aborts when the run is cancelled or the tool's timeout passes. */
  readonly signal: AbortSignal;
  /** `<turn>.<index>` within the run. */
  readonly callId: string;
  /** 1 for the first start of this call. */
  readonly attempt: number;
  /** Stable per (run, call, attempt); never from the model. Hand it to services that dedupe. */
  readonly idempotencyKey: string;
  /** The run's history so far, read only. */
  readonly messages: readonly Message[];
  /** The language the model is addressed in. */
  readonly locale: 'zh' | 'en';
}

/** What a tool answers: text for the model, and optionally data for people's screens. */
export interface ToolResult {
  readonly content: string;
  readonly details?: JsonObject;
}

/**
 * A tool. `input` is the zod schema of its input object; what `execute` throws becomes the
 * call's `error` outcome (an `AgentHubError`'s message is shown to the model).
 */
export interface Tool<Input = unknown> {
  /** What models call it: letters, digits, `_` and `-`, 64 at most. */
  readonly name: string;
  /** What it does, for the model, in both languages. */
  readonly description: LocalizedText;
  /** The schema of one object; what does not fit goes back to the model. */
  readonly input: z.ZodType<Input>;
  /** The property that a plain-text Action Input fills verbatim. */
  readonly textField: string | null;
  /** Whether running it again after a crash does no harm. */
  readonly safeToRepeat: boolean;
  /** A second call of it in one reply is refused. */
  readonly oncePerReply: boolean;
  /** Milliseconds until it counts as `timeout`. */
  readonly timeout: number;
  /**
   * Looks up what a call would touch, without touching it. Trusted code: the permission policy
   * decides on its answer. What it leaves out is the harmless value; what it throws denies the
   * call as `facts_unavailable`.
   */
  inspectFacts(input: Input, context: { readonly signal: AbortSignal }): Promise<Partial<Facts>>;
  /** Does the work. `facts` are those the decision was made on: act on nothing else. */
  execute(
    input: Input,
    context: ToolContext & { readonly facts: Facts },
  ): Promise<ToolResult | string>;
}

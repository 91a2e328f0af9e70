import { fromPromise } from 'xstate';
import type { ErrorData } from '../vocabulary/errors.ts';
import type { Json, Locale } from '../vocabulary/json.ts';
import type { ContextNote, Message } from '../vocabulary/messages.ts';
import type { ModelReply } from '../vocabulary/model.ts';
import type {
  ByCall,
  Call,
  Inspection,
  ModelAnswer,
  ParsedReply,
  PostToolVerdict,
  PreToolVerdict,
  ToolOutput,
} from './agent.types.ts';

/** What every port is told about its run. */
export interface RunPart {
  readonly runId: string;
  readonly turn: number;
}

/** What the hook ports are told beside their own matter. */
export interface HistoryPart extends RunPart {
  readonly prompt: string;
  readonly messages: readonly Message[];
  readonly locale: Locale;
}

/** The inputs of the ports, by name. */
export interface PortInputs {
  userPromptSubmit: HistoryPart;
  callModel: HistoryPart;
  parseReply: RunPart & { readonly reply: ModelReply | null; readonly locale: Locale };
  preToolUse: HistoryPart & { readonly calls: readonly Call[] };
  inspectFacts: RunPart & { readonly calls: readonly Call[] };
  approvalDeadline: RunPart & { readonly at: number | null };
  tool: RunPart & {
    readonly callId: string;
    readonly tool: string;
    readonly input: Json;
    readonly facts: Json;
    readonly attempt: number;
    /** When the first of the approvals it rests on ends, in milliseconds since the epoch, or null. */
    readonly approvedUntil: number | null;
    readonly locale: Locale;
  };
  postToolUse: HistoryPart & { readonly calls: readonly Call[] };
  stop: HistoryPart & { readonly answer: string; readonly stopBlocks: number };
}

/** The outputs of the ports, by name. All JSON, validated by the port before it resolves. */
export interface PortOutputs {
  /** `block` ends the run before any model request; `failed`: a hook did not answer properly. */
  userPromptSubmit: {
    readonly verdict: 'proceed' | 'block' | 'failed';
    /** Goes to the model beside the person's words. */
    readonly context: readonly ContextNote[];
    /** Why, each with the name of its hook; failures included. */
    readonly reasons: readonly ContextNote[];
  };
  callModel: ModelAnswer;
  parseReply: ParsedReply;
  /** A call left out counts as `failed`. */
  preToolUse: ByCall<PreToolVerdict>;
  /** A call left out counts as not looked up. */
  inspectFacts: Inspection;
  /** Resolves when the deadline passes; never, when `at` is null. */
  approvalDeadline: { readonly at: number };
  tool: ToolOutput;
  /** A call left out keeps its result as it is. */
  postToolUse: ByCall<PostToolVerdict>;
  stop: {
    readonly verdict: 'allow' | 'block' | 'failed';
    readonly reasons: readonly ContextNote[];
  };
}

/** The name of a port. */
export type PortName = keyof PortInputs;

/** A port nobody implemented refuses: an agent without implementations does nothing. */
function port<Name extends PortName>(name: Name) {
  return fromPromise<PortOutputs[Name], PortInputs[Name]>(() => {
    const error: ErrorData = {
      code: 'port_missing',
      message: `No implementation was provided for the port "${name}".`,
    };
    return Promise.reject(error);
  });
}

/**
 * The work of the chart, named and not implemented. `agentMachine.provide({ actors })` fills
 * them in. A port rejects only with plain `{ code, message, details }`.
 */
export const ports = {
  userPromptSubmit: port('userPromptSubmit'),
  callModel: port('callModel'),
  parseReply: port('parseReply'),
  preToolUse: port('preToolUse'),
  inspectFacts: port('inspectFacts'),
  approvalDeadline: port('approvalDeadline'),
  tool: port('tool'),
  postToolUse: port('postToolUse'),
  stop: port('stop'),
};

import type { PortOutputs } from '../../machines/agent/agent.ports.ts';
import type { PreToolVerdict } from '../../machines/agent/agent.types.ts';
import type { ErrorData } from '../../machines/vocabulary/errors.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import type { ContextNote } from '../../machines/vocabulary/messages.ts';
import type { HookAnswer } from './call-hook.ts';

/*
 * Pure folds: what several hooks say together. In each, the strictest verdict wins, in the order
 * failed > block > ask > proceed (allow): a failure closes the gate as a block does, and stays
 * visible beside a block. Reasons and contexts are kept from all hooks, in order.
 */

/** What PostToolUse hooks made of a result. */
export interface PostToolUseResult {
  /** What the model sees: the tool's result, or what the last replacing hook made of it. */
  readonly content: string;
  readonly context: readonly ContextNote[];
  readonly failures: readonly { readonly hook: string; readonly error: ErrorData }[];
}

const STRICTNESS = { proceed: 0, allow: 0, ask: 1, block: 2, failed: 3 } as const;

function stricter<Verdict extends keyof typeof STRICTNESS>(a: Verdict, b: Verdict): Verdict {
  return STRICTNESS[b] > STRICTNESS[a] ? b : a;
}

function withNote(
  notes: readonly ContextNote[],
  source: string,
  text: string | undefined,
): readonly ContextNote[] {
  return text === undefined || text.trim() === '' ? notes : [...notes, { source, text }];
}

export const NO_USER_PROMPT_SUBMIT: PortOutputs['userPromptSubmit'] = {
  verdict: 'proceed',
  context: [],
  reasons: [],
};

/** Adds one hook's answer. The reason of a hook that proceeds is not kept. */
export function foldUserPromptSubmit(
  result: PortOutputs['userPromptSubmit'],
  answer: HookAnswer<'UserPromptSubmit'>,
): PortOutputs['userPromptSubmit'] {
  if (!answer.ok) {
    const reasons = withNote(result.reasons, answer.hook, answer.failure.text);
    return { ...result, verdict: 'failed', reasons };
  }
  const { decision, reason, context } = answer.output;
  return {
    verdict: stricter(result.verdict, decision),
    context: withNote(result.context, answer.hook, context),
    reasons:
      decision === 'proceed' ? result.reasons : withNote(result.reasons, answer.hook, reason),
  };
}

/** Before any hook answered: the call goes on as the model asked for it. */
export function noPreToolUse(input: Json): PreToolVerdict {
  return { verdict: 'proceed', reasons: [], context: [], input };
}

/**
 * Adds one hook's answer; a replaced input in it has been validated already (one that does not
 * validate comes in as a failure). A failed hook leaves the input as it was.
 */
export function foldPreToolUse(
  result: PreToolVerdict,
  answer: HookAnswer<'PreToolUse'>,
): PreToolVerdict {
  if (!answer.ok) {
    const reasons = withNote(result.reasons, answer.hook, answer.failure.text);
    return { ...result, verdict: 'failed', reasons };
  }
  const { decision, reason, context, input } = answer.output;
  return {
    verdict: stricter(result.verdict, decision),
    reasons:
      decision === 'proceed' ? result.reasons : withNote(result.reasons, answer.hook, reason),
    context: withNote(result.context, answer.hook, context),
    input: input === undefined ? result.input : input,
  };
}

/** Before any hook answered: the tool's own result. */
export function noPostToolUse(content: string): PostToolUseResult {
  return { content, context: [], failures: [] };
}

/** Adds one hook's answer. A failure is recorded and changes nothing else. */
export function foldPostToolUse(
  result: PostToolUseResult,
  answer: HookAnswer<'PostToolUse'>,
): PostToolUseResult {
  if (!answer.ok) {
    const failure = { hook: answer.hook, error: answer.failure.error };
    return { ...result, failures: [...result.failures, failure] };
  }
  return {
    ...result,
    content: answer.output.content ?? result.content,
    context: withNote(result.context, answer.hook, answer.output.context),
  };
}

export const NO_STOP: PortOutputs['stop'] = { verdict: 'allow', reasons: [] };

/** Adds one hook's answer. */
export function foldStop(
  result: PortOutputs['stop'],
  answer: HookAnswer<'Stop'>,
): PortOutputs['stop'] {
  if (!answer.ok) {
    return {
      verdict: 'failed',
      reasons: withNote(result.reasons, answer.hook, answer.failure.text),
    };
  }
  const { decision, reason } = answer.output;
  return {
    verdict: stricter(result.verdict, decision),
    reasons: decision === 'allow' ? result.reasons : withNote(result.reasons, answer.hook, reason),
  };
}

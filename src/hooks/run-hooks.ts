import type { PortOutputs } from '../../machines/agent/agent.ports.ts';
import type { PreToolVerdict } from '../../machines/agent/agent.types.ts';
import { type HookEvent, matchesTool } from '../../machines/agent/matcher.ts';
import { toErrorData } from '../../machines/vocabulary/errors.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import { callHook, type HookAnswer, hookFailure, type RunHooksOptions } from './call-hook.ts';
import {
  foldPostToolUse,
  foldPreToolUse,
  foldStop,
  foldUserPromptSubmit,
  NO_STOP,
  NO_USER_PROMPT_SUBMIT,
  noPostToolUse,
  noPreToolUse,
  type PostToolUseResult,
} from './fold-answers.ts';
import type { Hook, HookInputs } from './hook.types.ts';

/*
 * Every hook of the event runs, in the order registered, also after an earlier one blocked or
 * failed: an audit hook sees everything, and the reasons of all are reported together. Only a
 * cancelled run starts no further hook. None of these functions rejects.
 */

/** Whether an input fits its tool, with the value as the tool would take it. */
type Validated =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string };

/** Checks an input against its tool, whose schema may look things up. */
export type ValidateInput = (input: Json) => Validated | Promise<Validated>;

/** Runs the UserPromptSubmit hooks on a person's prompt. */
export async function runUserPromptSubmit(
  hooks: readonly Hook[],
  view: HookInputs['UserPromptSubmit'],
  options: RunHooksOptions,
): Promise<PortOutputs['userPromptSubmit']> {
  let result = NO_USER_PROMPT_SUBMIT;
  for (const hook of ofEvent(hooks, 'UserPromptSubmit')) {
    result = foldUserPromptSubmit(result, await callHook(hook, view, options));
  }
  return result;
}

/**
 * Runs the PreToolUse hooks whose matcher selects the call's tool. Each sees the input as the
 * earlier ones left it (`input`) and as the model gave it (`requestedInput`). A replaced input is
 * validated; one that does not validate is a failure of the hook that made it, and is dropped.
 */
export async function runPreToolUse(
  hooks: readonly Hook[],
  call: HookInputs['PreToolUse'],
  options: RunHooksOptions & { readonly validate: ValidateInput },
): Promise<PreToolVerdict> {
  let result = noPreToolUse(call.input);
  for (const hook of forTool(hooks, 'PreToolUse', call.tool)) {
    const answer = await callHook(hook, { ...call, input: result.input }, options);
    result = foldPreToolUse(result, await withValidInput(answer, call, options.validate));
  }
  return result;
}

/** Runs the PostToolUse hooks whose matcher selects the call's tool. Never loses the result. */
export async function runPostToolUse(
  hooks: readonly Hook[],
  call: HookInputs['PostToolUse'],
  options: RunHooksOptions,
): Promise<PostToolUseResult> {
  let result = noPostToolUse(call.content);
  for (const hook of forTool(hooks, 'PostToolUse', call.tool)) {
    const answer = await callHook(hook, { ...call, content: result.content }, options);
    result = foldPostToolUse(result, answer);
  }
  return result;
}

/** Runs the Stop hooks on an answer that would end the run. */
export async function runStop(
  hooks: readonly Hook[],
  view: HookInputs['Stop'],
  options: RunHooksOptions,
): Promise<PortOutputs['stop']> {
  let result = NO_STOP;
  for (const hook of ofEvent(hooks, 'Stop')) {
    result = foldStop(result, await callHook(hook, view, options));
  }
  return result;
}

async function withValidInput(
  answer: HookAnswer<'PreToolUse'>,
  { locale }: HookInputs['PreToolUse'],
  validate: ValidateInput,
): Promise<HookAnswer<'PreToolUse'>> {
  if (!answer.ok || answer.output.input === undefined) return answer;
  const checked = await validated(answer.output.input, validate);
  if (checked.ok) return { ...answer, output: { ...answer.output, input: checked.value } };
  const failure = hookFailure('hook_invalid', `input: ${checked.message}`, locale);
  return { hook: answer.hook, ok: false, failure };
}

async function validated(input: Json, validate: ValidateInput): Promise<Validated> {
  try {
    return await validate(input);
  } catch (thrown) {
    return { ok: false, message: toErrorData(thrown, 'hook_invalid').message };
  }
}

function ofEvent<Event extends HookEvent>(hooks: readonly Hook[], event: Event): Hook<Event>[] {
  return hooks.filter((hook): hook is Hook & Hook<Event> => hook.event === event);
}

function forTool<Event extends HookEvent>(
  hooks: readonly Hook[],
  event: Event,
  tool: string,
): Hook<Event>[] {
  return ofEvent(hooks, event).filter(({ matcher }) => matchesTool(matcher, tool));
}

import type { PreToolVerdict } from '../../machines/agent/agent.types.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import type { Hook } from '../hooks/hook.types.ts';
import { runPreToolUse } from '../hooks/run-hooks.ts';
import type { Tool } from '../tools/tool.types.ts';
import { checkInput } from './ports/check-input.ts';

/**
 * Runs the PreToolUse hooks on a call outside of any run, as an agent with these hooks and tools
 * would: for recording what they answer, in tests and in verification.
 */
export function createHookRunner({
  hooks,
  tools,
}: {
  readonly hooks: readonly Hook[];
  readonly tools: readonly Tool[];
}) {
  return async (call: { readonly tool: string; readonly input: Json }): Promise<PreToolVerdict> => {
    const tool = tools.find(({ name }) => name === call.tool);
    const view = {
      runId: 'recording',
      prompt: '',
      turn: 1,
      messages: [],
      todos: [],
      locale: 'en',
      callId: '1.0',
      requestedInput: call.input,
      ...call,
    } as const;
    return runPreToolUse(hooks, view, {
      signal: new AbortController().signal,
      now: Date.now,
      validate: async (input) =>
        tool ? checkInput(tool, input, 'en') : { ok: true, value: input },
    });
  };
}

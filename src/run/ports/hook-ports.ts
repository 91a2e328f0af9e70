import type { PortInputs } from '../../../machines/agent/agent.ports.ts';
import type { Call } from '../../../machines/agent/agent.types.ts';
import { deriveTodos } from '../../../machines/vocabulary/todos.ts';
import type { HookRunView } from '../../hooks/hook.types.ts';
import type { RunHooksOptions } from '../../hooks/index.ts';
import {
  runPostToolUse,
  runPreToolUse,
  runStop,
  runUserPromptSubmit,
} from '../../hooks/run-hooks.ts';
import { capResult } from '../../tools/cap-result.ts';
import { checkInput } from './check-input.ts';
import { type AgentParts, type PortScope, portActor } from './parts.ts';

/** The four hook ports: each hands the conversation to the hooks of its event. */
export function hookPorts(parts: AgentParts) {
  const { hooks } = parts;
  return {
    userPromptSubmit: portActor<'userPromptSubmit'>(parts, 'hook_failed', (input, scope) =>
      runUserPromptSubmit(hooks, viewOf(input), optionsOf(parts, input, scope)),
    ),

    preToolUse: portActor<'preToolUse'>(parts, 'hook_failed', async (input, scope) => {
      const options = optionsOf(parts, input, scope);
      return byCall(input.calls, async (call) => {
        const { id: callId, tool: name, requestedInput } = call;
        const tool = parts.tools.get(name);
        const about = { callId, tool: name, input: call.input, requestedInput };
        return runPreToolUse(
          hooks,
          { ...viewOf(input), ...about },
          {
            ...options,
            validate: async (value) =>
              tool ? checkInput(tool, value, input.locale) : { ok: false, message: name },
          },
        );
      });
    }),

    postToolUse: portActor<'postToolUse'>(parts, 'hook_failed', async (input, scope) => {
      const options = optionsOf(parts, input, scope);
      return byCall(input.calls, async (call) => {
        const { id: callId, tool, result } = call;
        const { outcome = 'unknown', content = '', ms = 0 } = result ?? {};
        const about = { callId, tool, input: call.input, outcome, content, ms };
        const verdict = await runPostToolUse(hooks, { ...viewOf(input), ...about }, options);
        const faults = verdict.failures.map(({ hook, error }) => ({
          ...error,
          message: `${hook}: ${error.message}`,
        }));
        const cap = (text: string) =>
          capResult(text, { locale: input.locale, maxBytes: parts.maxResultBytes });
        const context = verdict.context.map((note) => ({ ...note, text: cap(note.text) }));
        return { content: cap(verdict.content), context, faults };
      });
    }),

    stop: portActor<'stop'>(parts, 'hook_failed', (input, scope) => {
      const { answer, stopBlocks } = input;
      return runStop(
        hooks,
        { ...viewOf(input), answer, stopBlocks },
        optionsOf(parts, input, scope),
      );
    }),
  };
}

function viewOf({ runId, prompt, turn, messages, locale }: PortInputs['callModel']): HookRunView {
  return { runId, prompt, turn, messages, todos: deriveTodos(messages), locale };
}

function optionsOf(
  { now }: AgentParts,
  { turn }: PortInputs['callModel'],
  { signal, services: { observer } }: PortScope,
): RunHooksOptions {
  return {
    signal,
    now,
    onStep: ({ hook, event, startedAt, verdict, error }) =>
      observer?.add<'hook'>({ kind: 'hook', turn, event, hook, verdict, error }, startedAt),
  };
}

/** Works on all calls side by side; one call's hooks run in order. */
async function byCall<Value>(
  calls: readonly Call[],
  work: (call: Call) => Promise<Value>,
): Promise<Record<string, Value>> {
  const results = await Promise.all(
    calls.map(async (call) => [call.id, await work(call)] as const),
  );
  return Object.fromEntries(results);
}

import type { PortInputs } from '../../../machines/agent/agent.ports.ts';
import type { ToolOutput } from '../../../machines/agent/agent.types.ts';
import type { Facts } from '../../../machines/permission/evaluate.ts';
import { AgentHubError, toErrorData } from '../../../machines/vocabulary/errors.ts';
import { frozenHistory } from '../../hooks/frozen-copy.ts';
import { orAborted, timeLimit } from '../../support/abort.ts';
import { capResult } from '../../tools/cap-result.ts';
import type { Tool } from '../../tools/tool.types.ts';
import { type AgentParts, type PortScope, portActor } from './parts.ts';

const TEXTS = {
  timeout: {
    zh: (ms: number) => `工具在 ${ms} 毫秒内没有结束，已被中止；它可能已经生效。`,
    en: (ms: number) =>
      `The tool did not end within ${ms} ms and was aborted; it may have taken effect.`,
  },
  /** Of a tool that is safe to repeat: whatever became of it, another call does no harm. */
  timeoutHarmless: {
    zh: (ms: number) => `工具在 ${ms} 毫秒内没有结束，已被中止；可以放心再次调用。`,
    en: (ms: number) =>
      `The tool did not end within ${ms} ms and was aborted; calling it again does no harm.`,
  },
  failed: {
    zh: (message: string) => `工具出错：${message}`,
    en: (message: string) => `The tool failed: ${message}`,
  },
};

/** Runs one start of one call. Whatever the tool does becomes a result. */
export function toolPort(parts: AgentParts) {
  return portActor<'tool'>(parts, 'tool_failed', async (input, scope) => {
    const { observer, slots, journal } = scope.services;
    const { turn, callId, tool, attempt } = input;
    const isOver = () => input.approvedUntil !== null && input.approvedUntil <= parts.now();
    const giveBack = await slots.take(scope.signal);
    try {
      const isSafe = parts.tools.get(tool)?.safeToRepeat === true;
      if (!isSafe && journal?.hasIntent(callId, attempt)) return notRun('unknown', parts);
      // Other tools may have held the slots for long, or the run was down: things may have changed.
      if (isOver() || journal?.takeOutdated(callId, attempt)) return notRun('not_started', parts);
      // Written down before it starts: after a crash, nobody could tell otherwise.
      await journal?.intend(callId, attempt);
      // Writing may have taken long, too.
      if (isOver()) return notRun('not_started', parts);
      scope.signal.throwIfAborted();
      const part = { kind: 'tool', turn, callId, tool, attempt, input: input.input } as const;
      const step = observer?.open<'tool'>({ ...part, outcome: 'open', bytes: 0, content: '' });
      // Whoever is told of the step may cancel the run: then nothing starts any more.
      await observer?.told();
      scope.signal.throwIfAborted();
      const { output, bytes } = await runTool(input, scope, parts);
      const { outcome, content } = output;
      if (!scope.signal.aborted) observer?.close<'tool'>(step ?? 0, { outcome, content, bytes });
      return output;
    } finally {
      giveBack();
    }
  });
}

/** What a call answers whose tool is not run now. */
function notRun(outcome: 'not_started' | 'unknown', { now }: AgentParts): ToolOutput {
  return { outcome, content: '', ms: 0, at: now() };
}

/** How a tool that was run may end. */
type RanOutput = ToolOutput & { readonly outcome: 'ok' | 'error' | 'timeout' };

async function runTool(
  input: PortInputs['tool'],
  { signal, history }: PortScope,
  { tools, now, maxResultBytes }: AgentParts,
): Promise<{ output: RanOutput; bytes: number }> {
  const { locale } = input;
  const startedAt = now();
  const ended = (outcome: RanOutput['outcome'], text: string) => {
    const content = capResult(text, { locale, maxBytes: maxResultBytes });
    const at = now();
    const output = { outcome, content, ms: Math.max(0, at - startedAt), at };
    return { output, bytes: Buffer.byteLength(text) };
  };
  const tool = tools.get(input.tool);
  if (tool === undefined) return ended('error', TEXTS.failed[locale](input.tool));
  const limit = timeLimit(tool.timeout, { signal });
  try {
    return ended('ok', await execute(tool, input, { signal: limit.signal, history }));
  } catch (thrown) {
    const text = tool.safeToRepeat ? TEXTS.timeoutHarmless : TEXTS.timeout;
    if (limit.isTimeout()) return ended('timeout', text[locale](tool.timeout));
    return ended('error', TEXTS.failed[locale](toErrorData(thrown, 'tool_failed').message));
  } finally {
    limit.end();
  }
}

async function execute(
  tool: Tool,
  { runId, callId, attempt, locale, input, facts }: PortInputs['tool'],
  { signal, history }: Pick<PortScope, 'signal' | 'history'>,
): Promise<string> {
  const context = {
    signal,
    callId,
    attempt,
    idempotencyKey: `${runId}/${callId}/${attempt}`,
    messages: frozenHistory(history()),
    locale,
    facts: structuredClone(facts) as Facts,
  };
  // Copies: what the tool does with them must not change what is on record.
  const working = Promise.resolve(tool.execute(structuredClone(input), context));
  const result: unknown = await orAborted(working, signal);
  if (typeof result === 'string') return result;
  const content = (result as { content?: unknown } | null | undefined)?.content;
  if (typeof content === 'string') return content;
  throw new AgentHubError('invalid_result', `${tool.name} answered neither text nor { content }.`);
}

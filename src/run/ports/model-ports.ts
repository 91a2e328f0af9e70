import { z } from 'zod';
import { readFailedRequests } from '../../../machines/agent/agent.answers.ts';
import type { CheckedCall } from '../../../machines/agent/agent.types.ts';
import { AgentHubError, toErrorData } from '../../../machines/vocabulary/errors.ts';
import type { JsonObject, Locale } from '../../../machines/vocabulary/json.ts';
import type {
  ModelReply,
  ModelRequest,
  RequestRecord,
} from '../../../machines/vocabulary/model.ts';
import type { ParsedCall } from '../../../machines/vocabulary/step.ts';
import { measureRequest } from '../../model/measure-request.ts';
import { capResult } from '../../tools/cap-result.ts';
import { breather } from '../breather.ts';
import { checkInput } from './check-input.ts';
import { type AgentParts, portActor } from './parts.ts';

const TEXTS = {
  unknownTool: {
    zh: (name: string, known: string) => `没有名为 ${name} 的工具。可用的工具：${known}。`,
    en: (name: string, known: string) => `There is no tool named ${name}. Tools: ${known}.`,
  },
  oncePerReply: {
    zh: (name: string) => `一次回复里只能调用 ${name} 一次；这次回复里的 ${name} 都没有执行。`,
    en: (name: string) =>
      `${name} may be called once per reply; none of those in this reply was run.`,
  },
  none: { zh: '无', en: 'none' },
};

/** Tokens, messages and characters: what is no count would end in a sum that is none. */
const count = z.number().int().nonnegative();

const replySchema = z.object({
  text: z.string(),
  calls: z.array(z.object({ id: z.string().nullable(), name: z.string(), arguments: z.string() })),
  finishReason: z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'unknown']),
  model: z.string(),
  requests: z.array(
    z.object({
      messages: count,
      characters: count,
      usage: z.object({ inputTokens: count, outputTokens: count }).nullable(),
      error: z.string().nullable(),
      ms: z.number(),
    }),
  ),
});

/** Asks the model, and reports the step with every request made for it. */
export function callModelPort(parts: AgentParts) {
  const { model, protocol, instructions, specs, now } = parts;
  const breathe = breather();
  return portActor<'callModel'>(
    parts,
    'model_failed',
    async ({ turn, messages, locale }, { signal, services: { observer } }) => {
      // Where model, tools and store all answer at once, nothing else would ever have its turn.
      await breathe();
      signal.throwIfAborted();
      const request = protocol.toRequest({ instructions, tools: specs, messages, locale });
      const startedAt = now();
      const opened = { kind: 'model', turn, model: model.name, status: 'open' } as const;
      const empty = { requests: [], characters: 0, calls: 0, error: null };
      const step = observer?.open<'model'>({ ...opened, ...empty });
      // Whoever is told of the step may cancel the run.
      await observer?.told();
      signal.throwIfAborted();
      observer?.asked(step ?? 0, measureRequest(request));
      const close = observer?.close.bind(observer) ?? (() => {});
      let partialText = '';
      let isAnswered = false;
      try {
        const reply = checkReply(
          await model.generate(request, {
            signal,
            onDelta: (delta) => {
              // What comes after the reply is no part of it.
              if (signal.aborted || isAnswered) return;
              if (delta.kind === 'text') partialText += delta.text;
              observer?.delta(turn, delta);
            },
          }),
        );
        const { requests, text, calls } = reply;
        close<'model'>(step ?? 0, {
          status: 'ok',
          requests,
          characters: text.length,
          calls: calls.length,
        });
        return { at: now(), reply };
      } catch (thrown) {
        const failure = failureOf(thrown, request, now() - startedAt);
        const characters = partialText.length;
        close<'model'>(step ?? 0, { status: 'error', characters, ...failure });
        const details = { ...failure.details, requests: failure.requests };
        throw { ...failure.error, details: { ...details, ...(characters > 0 && { partialText }) } };
      } finally {
        isAnswered = true;
      }
    },
  );
}

function checkReply(reply: unknown): ModelReply {
  const checked = replySchema.safeParse(reply);
  if (checked.success) return checked.data;
  throw new AgentHubError(
    'bad_response',
    `The model's reply has not the form of a ModelReply: ${z.prettifyError(checked.error)}`,
    { retryable: false },
  );
}

/** A failure always says what it cost: a model that does not tell counts as one request. */
function failureOf(thrown: unknown, request: ModelRequest, ms: number) {
  const error = toErrorData(thrown, 'model_failed');
  const details = (error.details ?? {}) as JsonObject;
  const untold = { ...measureRequest(request), usage: null, error: error.code, ms };
  const requests: readonly RequestRecord[] = Array.isArray(details.requests)
    ? readFailedRequests(details)
    : [untold];
  return { error, details, requests };
}

/** Reads the reply by the protocol, and checks every call against its tool. */
export function parseReplyPort(parts: AgentParts) {
  const { protocol, specs, tools, maxResultBytes } = parts;
  return portActor<'parseReply'>(parts, 'parse_failed', async ({ reply, locale }) => {
    if (reply === null) throw new AgentHubError('parse_failed', 'There is no reply to read.');
    const step = protocol.parseReply(reply, specs, locale);
    const text = step.text === reply.text ? null : step.text;
    if (step.kind !== 'calls') return { ...step, text };
    const names = step.calls.map(({ tool }) => tool);
    const calls = await Promise.all(
      step.calls.map((call) => {
        const times = names.filter((name) => name === call.tool).length;
        return checkCall(call, { tools, locale, times, maxResultBytes });
      }),
    );
    return { kind: 'calls', text, calls };
  });
}

interface CheckCallOptions extends Pick<AgentParts, 'tools' | 'maxResultBytes'> {
  readonly locale: Locale;
  /** How often the tool is called in this reply. */
  readonly times: number;
}

async function checkCall(
  { tool: name, providerId, arguments: parsed }: ParsedCall,
  { tools, locale, times, maxResultBytes }: CheckCallOptions,
): Promise<CheckedCall> {
  const refuse = (outcome: 'unknown_tool' | 'invalid_arguments', content: string): CheckedCall => ({
    tool: name,
    providerId,
    input: parsed.ok ? parsed.value : {},
    // It may quote what the model wrote, however long that was.
    problem: { outcome, content: capResult(content, { locale, maxBytes: maxResultBytes }) },
  });
  const tool = tools.get(name);
  if (tool === undefined) {
    const known = [...tools.keys()].join(', ') || TEXTS.none[locale];
    return refuse('unknown_tool', TEXTS.unknownTool[locale](name, known));
  }
  if (!parsed.ok) return refuse('invalid_arguments', parsed.message);
  if (tool.oncePerReply && times > 1)
    return refuse('invalid_arguments', TEXTS.oncePerReply[locale](name));
  const checked = await checkInput(tool, parsed.value, locale);
  if (!checked.ok) return refuse('invalid_arguments', checked.message);
  return { tool: name, providerId, input: checked.value, problem: null };
}

import { LLMock } from '@copilotkit/aimock';
import { expect } from 'vitest';
import { z } from 'zod';
import type { RequestRecord } from '../../machines/vocabulary/model.ts';
import { openaiModel } from '../../src/model/index.ts';
import type { OpenAIModelOptions } from '../../src/model/openai-options.ts';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import type { Run } from '../../src/run/run.types.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

/** How the agent is set up in one column of the table. */
export interface Mode {
  readonly protocol: 'native-calls' | 'react-text';
  readonly stream: boolean;
}

export const MODES: readonly Mode[] = [
  { protocol: 'native-calls', stream: true },
  { protocol: 'native-calls', stream: false },
  { protocol: 'react-text', stream: true },
  { protocol: 'react-text', stream: false },
];

const USAGE = { prompt_tokens: 100, completion_tokens: 7 };

/** What the endpoint does with one request. */
export type Served = Parameters<LLMock['on']>[1] extends infer Response
  ? { readonly response: Response; readonly options?: Parameters<LLMock['on']>[2] }
  : never;

export const says = (content: string): Served => ({ response: { content, usage: USAGE } });

export const fails = (status: number, error: { message: string; code?: string }): Served => ({
  response: { error, status, retryAfter: 1 },
});

export const breaks = (options: Served['options']): Served => ({
  ...says('This text is long enough to be cut in the middle of it, more than once.'),
  ...(options === undefined ? {} : { options }),
});

/** Calls of tools, as a model of the mode writes them. Arguments that are a text stay as they are. */
export function callsTools(
  { protocol }: Mode,
  ...calls: readonly { readonly name: string; readonly input: unknown; readonly id?: string }[]
): Served {
  const textOf = (input: unknown) => (typeof input === 'string' ? input : JSON.stringify(input));
  if (protocol === 'native-calls') {
    const toolCalls = calls.map(({ name, input, id = 'same' }) => ({
      id,
      name,
      arguments: textOf(input),
    }));
    return { response: { toolCalls, usage: USAGE } };
  }
  const steps = calls.map(
    ({ name, input }) => `Thought: next\nAction: ${name}\nAction Input: ${textOf(input)}`,
  );
  return says(steps.join('\n'));
}

export const answers = ({ protocol }: Mode, text: string): Served =>
  says(protocol === 'native-calls' ? text : `Thought: done\nFinal Answer: ${text}`);

interface SentCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A request as the endpoint got it. */
export interface SentBody {
  readonly stream: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly tool_calls?: readonly SentCall[];
    readonly tool_call_id?: string;
  }[];
  readonly tools?: readonly { readonly function: { readonly description: string } }[];
  readonly stop?: unknown;
}

/** An aimock on loopback that follows a script, request by request. */
export async function serve(...script: readonly Served[]) {
  const mock = new LLMock({ port: 0, logLevel: 'silent' });
  const bodies: SentBody[] = [];
  // Which request it is, is counted where it is sent: aimock journals those it breaks off later.
  for (const [index, { response, options }] of script.entries()) {
    mock.on({ predicate: () => bodies.length - 1 === index }, response, options);
  }
  await mock.start();
  const fetch: typeof globalThis.fetch = (url, init) => {
    bodies.push(JSON.parse(String(init?.body)));
    return globalThis.fetch(url, init);
  };
  return { baseURL: `${mock.url}/v1`, bodies, fetch, stop: () => mock.stop() };
}

/** An agent on an endpoint, with the tools `note` and `sum`. Nothing waits between retries. */
export function servedAgent(
  { protocol, stream }: Mode,
  { baseURL, fetch }: Pick<OpenAIModelOptions, 'baseURL' | 'fetch'>,
  more: {
    readonly model?: Partial<OpenAIModelOptions>;
    readonly agent?: Partial<AgentOptions>;
  } = {},
) {
  const waits: number[] = [];
  const started: string[] = [];
  const note = defineTool({
    name: 'note',
    description: { zh: '记一笔', en: 'Takes a note' },
    input: z.strictObject({ text: z.string() }),
    textField: 'text',
    execute: async ({ text }) => {
      started.push(`note ${text}`);
      return `noted ${text}`;
    },
  });
  const sum = defineTool({
    name: 'sum',
    description: { zh: '求和', en: 'Adds numbers' },
    input: z.strictObject({ numbers: z.array(z.number()) }),
    execute: async ({ numbers }) => {
      started.push(`sum ${numbers.join('+')}`);
      return String(numbers.reduce((total, number) => total + number, 0));
    },
  });
  const model = openaiModel({
    model: 'served',
    apiKey: 'sk-test-0123456789',
    stream,
    wait: async (ms) => void waits.push(ms),
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(fetch === undefined ? {} : { fetch }),
    ...more.model,
  });
  const agent = createAgent({
    model,
    protocol,
    tools: [note, sum],
    permissions: { policies: { note: 'allow', sum: 'allow' } },
    ...more.agent,
  });
  return { agent, started, waits };
}

/** Every request of a run, as its trace has them. */
export function requestsOf(run: Run): readonly RequestRecord[] {
  return run.trace.flatMap((step) => (step.kind === 'model' ? step.requests : []));
}

/**
 * Holds the contract of every body: each call of a reply has exactly one tool message, directly
 * behind it and in order; ids are unique; no tool message stands alone.
 */
export function expectNoOrphans({ protocol }: Mode, bodies: readonly SentBody[]): void {
  for (const { messages, tools } of bodies) {
    let open: string[] = [];
    const ids: string[] = [];
    for (const message of messages) {
      if (message.role === 'tool') {
        expect(message.tool_call_id, 'a tool message answers the next open call').toBe(open[0]);
        open = open.slice(1);
        continue;
      }
      expect(open, 'no call is left open').toEqual([]);
      const calls = message.tool_calls ?? [];
      open = calls.map(({ id }) => id);
      ids.push(...open);
      for (const call of calls) expect(() => JSON.parse(call.function.arguments)).not.toThrow();
    }
    expect(open, 'no call is left open').toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    if (protocol === 'native-calls') continue;
    expect(ids, 'the text protocol has no calls').toEqual([]);
    expect(tools).toBeUndefined();
    const actions = messages.filter(({ role, content }, index) => {
      const next = messages[index + 1]?.content ?? '';
      return (
        role === 'assistant' && /^Action:/mu.test(content ?? '') && !/^Observation:/u.test(next)
      );
    });
    // Only a reply that was sent back for mending has no observation.
    for (const action of actions) {
      const next = messages[messages.indexOf(action) + 1]?.content ?? '';
      expect(next).toMatch(/could not|one action|only one|reply/iu);
    }
  }
}

/** Holds that the trace says of each request what it carried, and that the totals are the sums. */
export async function expectUsageAddsUp(run: Run, bodies: readonly SentBody[]): Promise<void> {
  const requests = requestsOf(run);
  const { usage } = await run.outcome;
  const carried = bodies.map(({ messages, tools = [] }) => ({
    messages: messages.length,
    characters:
      messages.reduce((total, { content, tool_calls: calls = [] }) => {
        const inputs = calls.reduce((sum, call) => sum + call.function.arguments.length, 0);
        return total + (content ?? '').length + inputs;
      }, 0) + tools.reduce((total, tool) => total + tool.function.description.length, 0),
  }));
  expect(requests.map(({ messages, characters }) => ({ messages, characters }))).toEqual(carried);
  const total = (count: (request: RequestRecord) => number) =>
    requests.reduce((sum, request) => sum + count(request), 0);
  const input = total((request) => request.usage?.inputTokens ?? 0);
  const output = total((request) => request.usage?.outputTokens ?? 0);
  const isKnown = requests.every((request) => request.usage !== null);
  expect(usage).toEqual({
    requests: bodies.length,
    inputTokens: isKnown ? input : 'unknown',
    outputTokens: isKnown ? output : 'unknown',
    reported: { inputTokens: input, outputTokens: output },
    messages: total(({ messages }) => messages),
    characters: total(({ characters }) => characters),
  });
}

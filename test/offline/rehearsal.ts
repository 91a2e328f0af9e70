import { reason } from '../../machines/permission/reasons.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import type {
  ContextNote,
  Message,
  ObservationMessage,
  Outcome,
} from '../../machines/vocabulary/messages.ts';
import type { ToolSpec } from '../../machines/vocabulary/model.ts';
import { deriveTodos, type TodoItem } from '../../machines/vocabulary/todos.ts';
import type { Model } from '../../src/model/index.ts';
import type { Protocol } from '../../src/protocol/index.ts';

function spec(name: string, properties: Record<string, Json>, textField: string | null): ToolSpec {
  const inputSchema = { type: 'object', properties };
  return {
    name,
    description: `The ${name} tool: it works`,
    inputSchema,
    textField,
    oncePerReply: false,
  };
}

const text = { type: 'string' };
export const TOOLS: readonly ToolSpec[] = [
  spec('echo', { text }, 'text'),
  spec('knowledge_search', { keywords: text }, 'keywords'),
  spec('image_scaling', { input: text, output: text, width: { type: 'number' } }, null),
  spec('todo_write', { todos: { type: 'array' } }, null),
];

export interface MadeCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
}

/** What a call comes to; by default it goes well. */
export type Result = { readonly outcome?: Outcome; readonly content: string };
export type Respond = (call: MadeCall) => Result;

export interface Rehearsal {
  readonly calls: readonly MadeCall[];
  readonly answer: string;
  readonly messages: readonly Message[];
  readonly todos: readonly TodoItem[];
}

interface RehearseOptions {
  readonly model: Model;
  readonly protocol: Protocol;
  readonly respond?: Respond;
  readonly history?: readonly Message[];
  readonly context?: readonly ContextNote[];
  readonly tools?: readonly ToolSpec[];
  /** Says whether an answer is held up, as a Stop hook does; null lets it pass. */
  readonly stop?: (rehearsal: Omit<Rehearsal, 'answer'>, blocks: number) => string | null;
}

const MOST_TURNS = 40;

/** Plays the part of the engine, without permission and hooks, until the model has answered. */
export async function rehearse(prompt: string, options: RehearseOptions): Promise<Rehearsal> {
  const { model, protocol, respond = ({ tool }) => ({ content: `${tool} ok` }) } = options;
  const tools = options.tools ?? TOOLS;
  const messages: Message[] = [
    ...(options.history ?? []),
    { role: 'user', content: prompt, context: options.context ?? [] },
  ];
  const calls: MadeCall[] = [];
  let turn = (options.history ?? []).filter(({ role }) => role === 'assistant').length;
  let blocks = 0;
  for (let round = 0; round < MOST_TURNS; round += 1) {
    const request = protocol.toRequest({
      instructions: 'Be helpful.\n- honesty: always',
      tools,
      messages,
      locale: 'zh',
    });
    const reply = await model.generate(request, { signal: new AbortController().signal });
    const step = protocol.parseReply(reply, tools, 'zh');
    turn += 1;
    if (step.kind === 'malformed') throw new Error(`malformed (${step.code}): ${reply.text}`);
    if (step.kind === 'answer') {
      const todos = deriveTodos(messages);
      const held = options.stop?.({ calls, messages, todos }, blocks) ?? null;
      if (held === null) return { calls, answer: step.answer, messages, todos };
      blocks += 1;
      messages.push({ role: 'assistant', turn, content: step.text, calls: [] });
      messages.push({ role: 'stop_block', reasons: [{ source: 'stop', text: held }] });
      continue;
    }
    const made = step.calls.map((call, index) => {
      if (!call.arguments.ok) throw new Error(`invalid arguments: ${call.arguments.message}`);
      return { id: `${turn}.${index}`, tool: call.tool, input: call.arguments.value };
    });
    calls.push(...made);
    messages.push({
      role: 'assistant',
      turn,
      content: step.text,
      calls: made.map((call) => ({ ...call, providerId: null })),
    });
    messages.push(...made.map((call) => toObservation(call, respond(call))));
  }
  throw new Error(`no answer after ${MOST_TURNS} turns`);
}

function toObservation(call: MadeCall, { outcome = 'ok', content }: Result): ObservationMessage {
  const isDenied = outcome === 'denied';
  return {
    role: 'observation',
    callId: call.id,
    providerId: null,
    tool: call.tool,
    outcome,
    content,
    reasons: isDenied ? [reason('overwrite_not_approved', 'rule', { approval: 'overwrite' })] : [],
    context: [{ source: 'todo-reminder', text: 'Remember the list.' }],
  };
}

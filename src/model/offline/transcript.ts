import type { Json } from '../../../machines/vocabulary/json.ts';
import type { ChatMessage, ModelRequest } from '../../../machines/vocabulary/model.ts';
import { readObservation, withoutNotes } from './observation.ts';
import type { PastCall, Transcript } from './transcript.types.ts';

type Draft = Omit<PastCall, 'ending' | 'content'> & { readonly key: string };

/** What the protocols say to a model in the user's place, beside the user's own words. */
const REPAIR = /^(?:你的上一条回复|无法读懂你的上一条回复|Your last reply\b)/u;
const STOP_BLOCK = /^(?:还不能结束，|You cannot finish yet,)/u;
const OBSERVATION = /^\s*(?:Observation|观察)\s*[:：]/u;
const STRAY = /^(?:［工具 .*的结果］|\[Result of the tool )/u;

/**
 * Reads a request in either protocol: native when it offers tools or holds native calls, else
 * ReAct text with the tools in the system message. A turn is one assistant message; call ids are
 * counted from that. Total: a request of another form gives the last user message as the prompt.
 */
export function readTranscript({ messages, tools }: ModelRequest): Transcript {
  const isNative = tools.length > 0 || messages.some(({ role }) => role === 'tool');
  const prompt = findPrompt(messages);
  const since = prompt.index + 1;
  const endings = isNative ? nativeEndings(messages) : textEndings(messages);
  const calls = messages.flatMap((message, index): PastCall[] => {
    if (message.role !== 'assistant' || index < since) return [];
    const turn = messages.slice(0, index + 1).filter(({ role }) => role === 'assistant').length;
    const drafts = isNative ? nativeCalls(message, turn) : textCalls(message, { turn, index });
    return drafts.map(({ key, ...call }) => ({ ...call, ...endingOf(endings.get(key)) }));
  });
  return {
    protocol: isNative ? 'native' : 'react',
    tools: isNative ? tools.map(({ name }) => name) : toolsInText(messages),
    prompt: prompt.text,
    calls,
    stopBlocks: messages
      .slice(since)
      .filter(({ role, content }) => role === 'user' && STOP_BLOCK.test(content))
      .map(({ content }) => content),
  };
}

function findPrompt(messages: readonly ChatMessage[]): { index: number; text: string } {
  const isPrompt = ({ role, content }: ChatMessage): boolean =>
    role === 'user' &&
    withoutNotes(content) !== '' &&
    ![REPAIR, STOP_BLOCK, OBSERVATION, STRAY].some((pattern) => pattern.test(content));
  const found = messages.findLastIndex(isPrompt);
  const index = found >= 0 ? found : messages.findIndex(({ role }) => role === 'user');
  return { index, text: withoutNotes(messages[index]?.content ?? '') };
}

function endingOf(observation: string | undefined): Pick<PastCall, 'ending' | 'content'> {
  return observation === undefined
    ? { ending: 'unsure', content: '' }
    : readObservation(observation);
}

function nativeEndings(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
  const answered = messages.filter((message) => message.role === 'tool');
  return new Map(answered.map(({ toolCallId, content }) => [toolCallId, content]));
}

function nativeCalls(message: ChatMessage & { role: 'assistant' }, turn: number): Draft[] {
  return (message.toolCalls ?? []).map((call, index) => ({
    id: engineId(call.id) ?? `${turn}.${index}`,
    tool: call.name,
    input: parseJson(call.arguments),
    key: call.id ?? '',
  }));
}

/** The protocol makes a call's id from the engine's: `1.0` is sent as `call_1_0`. */
function engineId(id: string | null): string | null {
  const found = /^call_(\d+)_(\d+)$/u.exec(id ?? '');
  return found ? `${found[1]}.${found[2]}` : null;
}

/** In text, the observation is the user message behind the reply. */
function textEndings(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
  const endings = new Map<string, string>();
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'user' || !OBSERVATION.test(content)) continue;
    const reply = messages.slice(0, index).findLastIndex((message) => message.role === 'assistant');
    if (!endings.has(String(reply))) endings.set(String(reply), content);
  }
  return endings;
}

function textCalls(
  { content }: ChatMessage,
  { turn, index }: { readonly turn: number; readonly index: number },
): Draft[] {
  const action = /^Action:[ \t]*(\S+)[ \t]*\nAction Input:[ \t]*([\s\S]*)$/mu.exec(content);
  if (!action) return [];
  const [, tool = '', input = ''] = action;
  return [{ id: `${turn}.0`, tool, input: parseJson(input), key: String(index) }];
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** Lines `- <name>: <description>`, each with a line of JSON Schema soon after it. */
function toolsInText(messages: readonly ChatMessage[]): readonly string[] {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const lines = system.join('\n').split('\n');
  return lines.flatMap((line, index) => {
    const name = /^\s*[-*]\s+[`*"]*([\w-]{1,64})[`*"]*\s*[:：]/u.exec(line)?.[1];
    const isTool = lines.slice(index, index + 4).some((near) => isSchema(near));
    return name !== undefined && isTool ? [name] : [];
  });
}

function isSchema(line: string): boolean {
  const from = line.indexOf('{');
  const value = from < 0 ? null : parseJson(line.slice(from));
  return typeof value === 'object' && value !== null && 'properties' in value;
}

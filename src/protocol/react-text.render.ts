import type { Locale } from '../../machines/vocabulary/json.ts';
import type { ChatMessage, ModelRequest, ToolSpec } from '../../machines/vocabulary/model.ts';
import type { Conversation } from '../../machines/vocabulary/step.ts';
import { cachedRenderer, type HistoryItem, type SettledCall } from './history.ts';
import { inOneLine, renderObservation } from './notes.ts';
import { observationOf } from './origin.ts';
import { parseReactText } from './react-text.parse.ts';
import { FORMAT, NO_TOOLS, REACT_REPAIRS } from './react-text.texts.ts';
import { NO_RESULT } from './texts.ts';
import { renderAsUser, type UserTexts } from './user-messages.ts';

/** One only: some providers take no more. The parser knows the other spellings. */
const STOP = ['\nObservation:'];

const USER_TEXTS: UserTexts = {
  repairs: REACT_REPAIRS,
  strayObservation: (message, locale) => `Observation: ${renderObservation(message, locale)}`,
};

/**
 * A conversation as plain chat messages: a system message, then the history. A person's words are
 * a user message of their own; what hooks added to them is the user message behind it. The results
 * of a reply's calls are one user message: `Observation: <result>` for one call; for several,
 * `Observation:` and then, per call in order, a line `[<number>/<of> <tool>]` and the result.
 *
 * The system message is the host's instructions, the format rules, and, last, the tools in lines
 * that a program can read back, the same in every language:
 *
 *     ## Tools
 *     - <name>: <description, in one line>
 *       JSON Schema: <the input's schema, JSON in one line>
 *       Text field: <property>            (only if the tool has one)
 */
export function renderReact({ instructions, tools, messages, locale }: Conversation): ModelRequest {
  const system = [instructions.trim(), FORMAT[locale], renderTools(tools, locale)];
  const content = system.filter((part) => part !== '').join('\n\n');
  const history = renderHistory(messages, locale);
  const origin = { kind: 'instructions', tools: tools.map(({ name }) => name) } as const;
  return { messages: [{ role: 'system', content, origin }, ...history], tools: [], stop: STOP };
}

const renderHistory = cachedRenderer((items, locale) =>
  items.flatMap((item) =>
    item.kind === 'reply' ? renderReply(item, locale) : renderAsUser(item, USER_TEXTS, locale),
  ),
);

function renderTools(tools: readonly ToolSpec[], locale: Locale): string {
  const lines = tools.flatMap(({ name, description, inputSchema, textField }) => [
    `- ${name}: ${inOneLine(description)}`,
    `  JSON Schema: ${JSON.stringify(inputSchema)}`,
    ...(textField === null ? [] : [`  Text field: ${textField}`]),
  ]);
  return ['## Tools', ...(lines.length === 0 ? [NO_TOOLS[locale]] : lines)].join('\n');
}

function renderReply(
  { message, calls }: Extract<HistoryItem, { kind: 'reply' }>,
  locale: Locale,
): readonly ChatMessage[] {
  const content = writeReply(message.content, calls);
  const reply: readonly ChatMessage[] = content === '' ? [] : [{ role: 'assistant', content }];
  if (calls.length === 0) return reply;
  const origin = observationOf(calls, locale);
  return [...reply, { role: 'user', content: renderObservations(calls, locale), origin }];
}

/** The reply as written; calls that it holds in another protocol's form are written out. */
function writeReply(content: string, calls: readonly SettledCall[]): string {
  if (calls.length === 0) return content.trim() === '' ? '' : content;
  if (calls.length === 1 && isCallOf(content, calls[0])) return content;
  const thought = content.trim() === '' ? [] : [`Thought: ${content.trim()}`];
  const actions = calls.map(
    ({ call }) => `Action: ${call.tool}\nAction Input: ${JSON.stringify(call.input) ?? '{}'}`,
  );
  return [...thought, ...actions].join('\n');
}

function isCallOf(content: string, settled: SettledCall | undefined): boolean {
  if (settled === undefined) return false;
  const { tool } = settled.call;
  const reading = parseReactText(content, new Set([tool]), { isStopped: true });
  return reading.kind === 'action' && reading.tool === tool;
}

function renderObservations(calls: readonly SettledCall[], locale: Locale): string {
  const texts = calls.map(({ observation }) =>
    observation === null ? NO_RESULT[locale] : renderObservation(observation, locale),
  );
  if (texts.length === 1) return `Observation: ${texts[0]}`;
  const numbered = calls.map(
    ({ call }, index) => `[${index + 1}/${calls.length} ${call.tool}]\n${texts[index]}`,
  );
  return `Observation:\n${numbered.join('\n\n')}`;
}

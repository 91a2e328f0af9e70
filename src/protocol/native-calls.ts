import type { Locale } from '../../machines/vocabulary/json.ts';
import type { ModelReply, NativeCall, ToolSpec } from '../../machines/vocabulary/model.ts';
import type { ParsedStep } from '../../machines/vocabulary/step.ts';
import { callArguments } from './call-arguments.ts';
import { renderNative } from './native-calls.render.ts';
import type { Protocol } from './protocol.types.ts';
import { stripThinking } from './think.ts';
import { findWrittenCalls } from './written-calls.ts';

/**
 * Steps as a provider's own tool calls (the form of OpenAI's chat completions).
 *
 * `parseReply`: calls, with the text beside them kept; or else the text as the answer, without
 * blocks of reasoning. Malformed: `empty`, `truncated` (the provider said so, or a block of
 * reasoning never closes), `content_filter` (withheld altogether), `written_call` (the text is a call
 * of some other syntax; where it is one that can be read, of a tool that is offered, it counts).
 */
export const nativeCalls: Protocol = {
  name: 'native-calls',
  toRequest: renderNative,
  parseReply({ text, calls, finishReason }: ModelReply, tools, locale: Locale): ParsedStep {
    const malformed = (code: string): ParsedStep => ({
      kind: 'malformed',
      text,
      code,
      detail: null,
    });
    if (finishReason === 'length') return malformed('truncated');
    if (calls.length > 0)
      return { kind: 'calls', text, calls: calls.map(toParsedCall(tools, locale)) };
    const { text: answer, open } = stripThinking(text);
    const written = open ? null : findWrittenCalls(answer, tools, locale);
    if (written?.calls === null) return malformed('written_call');
    if (written) return { kind: 'calls', text, calls: written.calls };
    if (answer !== '' && !open) return { kind: 'answer', text, answer };
    if (finishReason === 'content_filter') return malformed('content_filter');
    return malformed(open ? 'truncated' : 'empty');
  },
};

function toParsedCall(tools: readonly ToolSpec[], locale: Locale) {
  return ({ id, name, arguments: text }: NativeCall) => ({
    tool: readName(name, tools),
    providerId: id,
    arguments: callArguments(text, locale),
  });
}

/** What chat templates put before and behind a name: `functions.note:0`, `default_api:note`. */
const TEMPLATE_WORDS = /^(?:functions|default_api|tools)[.:]|:\d+$/gu;

/**
 * Without white space, control tokens (what follows one is another part of the template), one pair
 * of quote marks, and, where that names a tool that is offered, the words of a template.
 */
function readName(name: string, tools: readonly ToolSpec[]): string {
  const [first = ''] = name.split(CONTROL_TOKENS).filter((part) => part.trim() !== '');
  const trimmed = trimQuotes(first.trim());
  const isOffered = (one: string) => tools.some((tool) => tool.name === one);
  const bare = trimmed.replace(TEMPLATE_WORDS, '');
  return !isOffered(trimmed) && isOffered(bare) ? bare : trimmed;
}

const CONTROL_TOKENS = /<[|｜][^<>|｜]{0,40}[|｜]>/u;

function trimQuotes(text: string): string {
  const first = text[0] ?? '';
  const isQuoted = text.length > 2 && '"\'`'.includes(first) && text.endsWith(first);
  return isQuoted ? text.slice(1, -1).trim() : text;
}

import type { Locale } from '../../machines/vocabulary/json.ts';
import type { ModelReply, NativeCall } from '../../machines/vocabulary/model.ts';
import type { ParsedStep } from '../../machines/vocabulary/step.ts';
import { callArguments } from './call-arguments.ts';
import { renderNative } from './native-calls.render.ts';
import type { Protocol } from './protocol.types.ts';
import { stripThinking } from './think.ts';

/**
 * Steps as a provider's own tool calls (the form of OpenAI's chat completions).
 *
 * `parseReply`: calls, with the text beside them kept; or else the text as the answer, without
 * blocks of reasoning. Malformed: `empty`, `truncated` (the provider said so, or a block of
 * reasoning never closes), `content_filter` (withheld altogether).
 */
export const nativeCalls: Protocol = {
  name: 'native-calls',
  toRequest: renderNative,
  parseReply({ text, calls, finishReason }: ModelReply, _tools, locale: Locale): ParsedStep {
    const malformed = (code: string): ParsedStep => ({
      kind: 'malformed',
      text,
      code,
      detail: null,
    });
    if (finishReason === 'length') return malformed('truncated');
    if (calls.length > 0) return { kind: 'calls', text, calls: calls.map(toParsedCall(locale)) };
    const { text: answer, open } = stripThinking(text);
    if (answer !== '' && !open) return { kind: 'answer', text, answer };
    if (finishReason === 'content_filter') return malformed('content_filter');
    return malformed(open ? 'truncated' : 'empty');
  },
};

function toParsedCall(locale: Locale) {
  return ({ id, name, arguments: text }: NativeCall) => ({
    tool: trimName(name),
    providerId: id,
    arguments: callArguments(text, locale),
  });
}

/** Without white space and one pair of quote marks around it. */
function trimName(name: string): string {
  const trimmed = name.trim();
  const first = trimmed[0] ?? '';
  const isQuoted = trimmed.length > 2 && '"\'`'.includes(first) && trimmed.endsWith(first);
  return isQuoted ? trimmed.slice(1, -1).trim() : trimmed;
}

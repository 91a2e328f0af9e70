import type { Locale } from '../../machines/vocabulary/json.ts';
import type { ModelReply, ToolSpec } from '../../machines/vocabulary/model.ts';
import type { ParsedCall, ParsedStep } from '../../machines/vocabulary/step.ts';
import { textArguments } from './call-arguments.ts';
import type { Protocol } from './protocol.types.ts';
import { parseReactText, type ReactReading } from './react-text.parse.ts';
import { renderReact } from './react-text.render.ts';
import { stripThinking } from './think.ts';

/**
 * Steps as text (Thought / Action / Action Input / Observation / Final Answer), for models
 * without tool calls of their own.
 *
 * `parseReply`: one call, or the answer. Malformed: the codes of {@link parseReactText};
 * `truncated` too when the provider says so, unless the call was complete and the model had gone
 * on to invent its result; and `content_filter` (withheld altogether).
 */
export const reactText: Protocol = {
  name: 'react-text',
  toRequest: renderReact,
  parseReply({ text, finishReason }: ModelReply, tools, locale): ParsedStep {
    const toolNames = new Set(tools.map(({ name }) => name));
    const reading = parseReactText(text, toolNames, { isStopped: finishReason === 'stop' });
    const own = text.slice(0, reading.end).trimEnd();
    const malformed = (code: string): ParsedStep => ({
      kind: 'malformed',
      text: own,
      code,
      detail: null,
    });
    const isCut = finishReason === 'length' && !(reading.kind === 'action' && reading.isClosed);
    if (isCut) return malformed('truncated');
    if (finishReason === 'content_filter' && stripThinking(text).text === '') {
      return malformed('content_filter');
    }
    if (reading.kind === 'error') return malformed(reading.code);
    if (reading.kind === 'final') return { kind: 'answer', text: own, answer: reading.answer };
    return { kind: 'calls', text: own, calls: [toParsedCall(reading, tools, locale)] };
  },
};

function toParsedCall(
  { tool, input }: Extract<ReactReading, { kind: 'action' }>,
  tools: readonly ToolSpec[],
  locale: Locale,
): ParsedCall {
  const spec = tools.find(({ name }) => name === tool);
  return { tool, providerId: null, arguments: textArguments(input, spec, locale) };
}

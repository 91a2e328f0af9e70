import type { Locale } from '../../machines/vocabulary/json.ts';
import type { ContextNote, ObservationMessage } from '../../machines/vocabulary/messages.ts';
import { fill, NO_OUTPUT, NOTE_LABEL, OUTCOMES, REASON_SEPARATOR, REASONS } from './texts.ts';

/** Hook texts, each under a line that names its source. */
export function renderNotes(notes: readonly ContextNote[], locale: Locale): string {
  return notes
    .map(({ source, text }) => `${fill(NOTE_LABEL, locale, inOneLine(source))}\n${text}`)
    .join('\n\n');
}

/**
 * What a model is told of a call: what happened to it in plain words unless it went well, the
 * reasons, the content, and what hooks added. Never empty.
 */
export function renderObservation(observation: ObservationMessage, locale: Locale): string {
  const { outcome, reasons, content, context } = observation;
  const kind = OUTCOMES[outcome];
  const parts: string[] = [];
  if (kind !== null && kind !== undefined) parts.push(kind[locale]);
  if (reasons.length > 0) {
    const texts = reasons.map((reason) => reason[locale]).join(REASON_SEPARATOR[locale]);
    parts.push(fill(REASONS, locale, texts));
  }
  if (content !== '') parts.push(content);
  else if (parts.length === 0) parts.push(NO_OUTPUT[locale]);
  if (context.length > 0) parts.push(renderNotes(context, locale));
  return parts.join('\n');
}

/** Without line breaks, so that it cannot end the line it stands in. */
export function inOneLine(text: string): string {
  return text
    .split(/[\n\r\u2028\u2029\u0085]+/u)
    .join(' ')
    .trim();
}

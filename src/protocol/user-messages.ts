import type { Locale, LocalizedText } from '../../machines/vocabulary/json.ts';
import type { ObservationMessage } from '../../machines/vocabulary/messages.ts';
import type { ChatMessage, MessageOrigin } from '../../machines/vocabulary/model.ts';
import type { HistoryItem } from './history.ts';
import { renderNotes } from './notes.ts';
import { strayObservationOf } from './origin.ts';
import { renderRepair, renderStopBlock } from './repairs.ts';

/** What a protocol says in its own way to the model as the user. */
export interface UserTexts {
  /** How to mend a reply, by code. */
  readonly repairs: Readonly<Record<string, LocalizedText>>;
  /** An observation that no call of the reply before it asked for. */
  readonly strayObservation: (message: ObservationMessage, locale: Locale) => string;
}

/** What is no reply, as user messages: a person's words, and what hooks and the engine say. */
export function renderAsUser(
  { message }: Extract<HistoryItem, { kind: 'other' }>,
  { repairs, strayObservation }: UserTexts,
  locale: Locale,
): readonly ChatMessage[] {
  switch (message.role) {
    case 'user': {
      const { content, context } = message;
      const words = asUser(content, { kind: 'user' });
      return context.length === 0
        ? [words]
        : [words, asUser(renderNotes(context, locale), { kind: 'note' })];
    }
    case 'repair': {
      const origin = { kind: 'repair', code: message.code } as const;
      return [asUser(renderRepair(message, repairs, locale), origin)];
    }
    case 'stop_block':
      return [asUser(renderStopBlock(message, locale), { kind: 'stop_block' })];
    case 'observation': {
      const origin = strayObservationOf(message, locale);
      return [asUser(strayObservation(message, locale), origin)];
    }
  }
}

function asUser(content: string, origin: MessageOrigin): ChatMessage {
  return { role: 'user', content, origin };
}

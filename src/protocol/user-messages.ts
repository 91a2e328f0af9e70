import type { Locale, LocalizedText } from '../../machines/vocabulary/json.ts';
import type { ObservationMessage } from '../../machines/vocabulary/messages.ts';
import type { ChatMessage } from '../../machines/vocabulary/model.ts';
import type { HistoryItem } from './history.ts';
import { renderNotes } from './notes.ts';
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
  const user = (content: string): ChatMessage => ({ role: 'user', content });
  switch (message.role) {
    case 'user': {
      const { content, context } = message;
      return context.length === 0
        ? [user(content)]
        : [user(content), user(renderNotes(context, locale))];
    }
    case 'repair':
      return [user(renderRepair(message, repairs, locale))];
    case 'stop_block':
      return [user(renderStopBlock(message, locale))];
    case 'observation':
      return [user(strayObservation(message, locale))];
  }
}

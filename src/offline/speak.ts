import type { Locale } from '../../machines/vocabulary/json.ts';
import type { NativeCall } from '../../machines/vocabulary/model.ts';
import type { Move } from './plan.ts';
import { writeReport } from './report.ts';
import { TEXTS } from './texts.ts';
import type { Transcript } from './transcript.types.ts';

/** What a reply says, before it is streamed. */
export interface Spoken {
  readonly text: string;
  readonly calls: readonly NativeCall[];
}

/** Writes a move as a reply in the protocol that the request is in. */
export function speak(move: Move, transcript: Transcript, locale: Locale): Spoken {
  const thought = thoughtOf(move, transcript, locale);
  const isNative = transcript.protocol === 'native';
  if (move.kind === 'answer') {
    const answer = writeReport(move.tasks, transcript, locale);
    return { text: isNative ? answer : `Thought: ${thought}\nFinal Answer: ${answer}`, calls: [] };
  }
  const input = JSON.stringify(move.input);
  if (!isNative) {
    return { text: `Thought: ${thought}\nAction: ${move.tool}\nAction Input: ${input}`, calls: [] };
  }
  const id = `offline_${transcript.calls.length + 1}`;
  return { text: thought, calls: [{ id, name: move.tool, arguments: input }] };
}

function thoughtOf(move: Move, { calls }: Transcript, locale: Locale): string {
  const { thought } = TEXTS[locale];
  if (move.kind === 'answer') return thought.answer;
  const kind = move.task?.wish.kind;
  if (kind === 'search' || kind === 'image' || kind === 'echo') return thought[kind];
  return calls.some(({ tool }) => tool === move.tool) ? thought.update : thought.plan;
}

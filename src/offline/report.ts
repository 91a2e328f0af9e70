import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Task } from './plan.ts';
import { pickQuotes } from './search-answer.ts';
import { type OfflineTexts, TEXTS } from './texts.ts';
import { readScaled, readSections } from './tools.ts';
import type { PastCall, Transcript } from './transcript.types.ts';

/** The final answer: what each wish came to, refusals and failures as what they are. */
export function writeReport(
  tasks: readonly Task[],
  { tools, isBlocked }: Transcript,
  locale: Locale,
): string {
  const texts = TEXTS[locale];
  if (tasks.length === 0) return `${texts.unclear}\n${texts.who}\n${texts.help(tools)}`;
  const results = tasks.map((task) => resultOf(task, texts, tools));
  const blocked = isBlocked && tasks.some(({ done }) => done?.ending !== 'ok');
  const parts =
    tasks.length === 1
      ? results
      : [
          texts.summary(tasks.filter(({ done }) => done?.ending === 'ok').length, tasks.length),
          ...tasks.map(({ wish }, index) =>
            texts.item(index + 1, wish.words, results[index] ?? ''),
          ),
        ];
  return [...parts, ...(blocked ? [texts.blocked] : [])].join('\n\n');
}

function resultOf(task: Task, texts: OfflineTexts, offered: readonly string[]): string {
  const { wish, done, isToolMissing } = task;
  if (wish.kind === 'greeting') return `${texts.greeting}${texts.who}\n${texts.help(offered)}`;
  if (wish.kind === 'help') return `${texts.who}\n${texts.help(offered)}`;
  if (wish.kind === 'thanks') return texts.thanks;
  if (wish.kind === 'too_long') return texts.tooLong;
  if (wish.kind === 'image' && !wish.wish.ok) return texts.missing[wish.wish.missing];
  if (isToolMissing || done === null) return texts.noTool;
  if (done.ending !== 'ok') return texts.ending[done.ending](whyNot(done, texts));
  if (wish.kind === 'search') return answerFrom(done, wish, texts);
  return wish.kind === 'image'
    ? scaledText(wish.wish, done, texts)
    : echoedText(done.content, texts);
}

/** Why a call came to nothing; empty where nobody said. */
function whyNot({ reasons, content }: PastCall, texts: OfflineTexts): string {
  const parts = [reasons.join(texts.reasonSeparator), content.trim()];
  return harmless(parts.filter((part) => part !== '').join('\n'));
}

function answerFrom(
  { content }: PastCall,
  wish: Extract<Task['wish'], { kind: 'search' }>,
  texts: OfflineTexts,
): string {
  const quotes = pickQuotes(readSections(content), wish);
  if (quotes.length === 0) return texts.unknown(harmless(wish.words));
  return quotes
    .map(({ file, title, sentences }) =>
      [texts.about(title), texts.quote(sentences.map(harmless)), texts.source(file)].join('\n'),
    )
    .join('\n\n');
}

function scaledText(
  wish: Extract<Task['wish'], { kind: 'image' }>['wish'],
  { content }: PastCall,
  texts: OfflineTexts,
): string {
  if (!wish.ok) return texts.missing[wish.missing];
  const { input, output, width } = wish.input;
  const said = harmless(readScaled(content));
  return [
    texts.scaled(input, output),
    ...(said === '' ? [] : [texts.toolSaid(said)]),
    ...(wish.derivedOutput ? [texts.derived(output)] : []),
    ...(wish.assumedWidth && width !== undefined ? [texts.assumedWidth(width)] : []),
  ].join('\n');
}

/** Marks by which readers of replies would take a text for unfinished or for reasoning. */
const FENCE = /([`~])\1{2,}/gu;
const TAG = /<(?=[|/a-z!?])/giu;

function harmless(text: string): string {
  return text.replace(FENCE, "'''").replace(TAG, '‹');
}

/** The text as it came; one that a reader of replies would misunderstand is written as JSON. */
function echoedText(content: string, texts: OfflineTexts): string {
  const isPlain = harmless(content) === content && /^\s*[^\s{[]/u.test(content);
  return isPlain ? content : texts.asJson(JSON.stringify(content).replaceAll('<', '\\u003c'));
}

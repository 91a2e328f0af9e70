import type { Locale } from '../../machines/vocabulary/json.ts';
import { printable, printableLine } from '../../machines/vocabulary/printable.ts';
import type { TimelineEntry } from '../run/history/timeline.ts';
import { shownStatus } from '../run/run-status.ts';
import type { StoredRun } from '../run/runs.types.ts';
import { sayError } from './error-texts.ts';
import type { CommonFlags } from './flags.ts';
import { colorsOf, type Io } from './io.ts';
import { questionLines } from './permission-prompt.ts';
import { answerCommands, resumeCommand, sayReason } from './report.ts';
import { sayAge } from './run-lines.ts';
import { duration, sayTokens, todoLines } from './step-lines.ts';
import { say, sayApprovals, sayBy, sayStands, sayStatus } from './texts.ts';
import { padToWidth } from './width.ts';

export interface ShowOptions {
  readonly locale: Locale;
  readonly flags: CommonFlags;
  readonly io: Io;
}

/** A stored run for people: what it is, what happened, what was decided and why, what waits. */
export function showLines(run: StoredRun, { locale, flags, io }: ShowOptions): string[] {
  const { usage, drivenBy, createdAt, rest, questions, waitingAnswers, timeline, calls } = run;
  const { inputTokens: input, outputTokens: output } = usage;
  const tokens = input === 'unknown' || output === 'unknown' ? null : { input, output };
  const age = say(locale, 'ago', { age: sayAge(io.clock.now() - createdAt) });
  const driver =
    drivenBy === null
      ? say(locale, 'drivenByNobody')
      : say(locale, 'drivenBy', { owner: printableLine(drivenBy) });
  const field = (name: 'task' | 'status' | 'begun' | 'usage' | 'answer' | 'ended', text: string) =>
    `${padToWidth(say(locale, name), 7)}${text}`;
  const stands = [sayStatus(locale, shownStatus(run)), run.state, driver].join(' · ');
  const used = [
    say(locale, usage.requests === 1 ? 'oneRequest' : 'requests', { count: usage.requests }),
    sayTokens(tokens),
  ].join(' · ');
  return [
    printableLine(run.runId),
    field('task', printableLine(run.prompt)),
    field('status', stands),
    field('begun', `${timeOf(createdAt)} · ${age}`),
    field('usage', used),
    ...restLines(run, { locale, flags, io }, field),
    ...todoLines(run.todos, { locale, times: true, width: null }),
    ...headed(
      say(locale, 'timeline'),
      timeline.map((entry) => `${timeOf(entry.at).slice(11)} ${timelineLine(entry)}`),
    ),
    ...headed(
      say(locale, 'decisions'),
      calls.flatMap((call) => [
        `  ${printableLine(`${call.callId} ${call.tool} ${JSON.stringify(call.input)}`)}`,
        ...call.decisions.flatMap(({ seq, action, reasons }) => [
          `    #${seq} ${action}`,
          ...reasons.map((reason) => `      - ${printableLine(reason[locale])}`),
        ]),
        `    ${sayStands(locale, call.stands)}`,
        ...call.reasons.map((reason) => `      - ${printableLine(reason[locale])}`),
      ]),
    ),
    ...headed(
      say(locale, 'waitingAnswers'),
      waitingAnswers.map((answer) => `  ${answerLine(answer, locale)}`),
    ),
    ...(questions.length === 0 || rest !== null
      ? []
      : questionsAndCommands(run, { locale, flags, io })),
  ];
}

function restLines(
  { runId, rest, messages }: StoredRun,
  { locale, flags }: ShowOptions,
  field: (name: 'answer' | 'ended', text: string) => string,
): string[] {
  if (rest === null || rest.status === 'cancelled') return [];
  if (rest.status === 'done') return [field('answer', printable(rest.answer))];
  if (rest.status === 'failed')
    return [field('ended', printableLine(`${rest.error.code}: ${sayError(rest.error, locale)}`))];
  const { reason } = rest;
  const why = sayReason(rest, messages, locale);
  return [
    field('ended', printableLine(why)),
    printable(`${say(locale, 'goOn')}${resumeCommand(runId, reason, flags)}`),
  ];
}

function questionsAndCommands(run: StoredRun, { locale, flags, io }: ShowOptions): string[] {
  const { runId, questions } = run;
  const waiting = questions.length;
  return [
    '',
    `${say(locale, 'openQuestions')}`,
    ...questions.flatMap((question) => {
      const { approve, deny } = answerCommands(runId, question, flags);
      return [
        ...questionLines(question, io, { locale, waiting }).slice(1),
        printable(`  ${approve}`),
        printable(`  ${deny}`),
      ];
    }),
  ];
}

/** An answer that waits in an inbox: what it says, who gave it, when. */
export function answerLine(answer: StoredRun['waitingAnswers'][number], locale: Locale): string {
  const by = printableLine(sayBy(locale, answer.by));
  const when = timeOf(answer.at);
  if (answer.type === 'permission.grant') {
    const { callId: call, approvals } = answer;
    const what = say(locale, 'approves', { call, approvals: sayApprovals(locale, approvals) });
    return printableLine([what, by, when].join(' · '));
  }
  const what =
    answer.type === 'permission.deny'
      ? say(locale, 'denies', { call: answer.callId })
      : say(locale, answer.type === 'run.cancel' ? 'cancels' : 'resumes');
  return printableLine([what, by, when].join(' · '));
}

/** One record of a log: its number, the time since the one before, what, where the run stands then. */
export function timelineLine({ seq, after, what, state }: TimelineEntry): string {
  const number = String(seq).padStart(5);
  const took = `+${duration(after)}`.padStart(8);
  return `${number}  ${took}  ${printableLine(what)} → ${state}`;
}

function headed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

/** A time as people here read it. */
export function timeOf(at: number): string {
  const date = new Date(at);
  const pad = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join(':');
  return `${day} ${time}`;
}

/** Colours and width of what goes to stdout instead of stderr. */
export function toStdout(io: Io): Io {
  return { ...io, stderr: io.stdout };
}

/** Writes lines to stdout, headings bold where there are colours. */
export function writeLines(lines: readonly string[], io: Io): void {
  const { bold } = colorsOf(toStdout(io));
  const [first = '', ...others] = lines;
  io.stdout.write(`${[bold(first), ...others].join('\n')}\n`);
}

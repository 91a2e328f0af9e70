import type { Question } from '../../machines/agent/agent.view.ts';
import type { Approval } from '../../machines/permission/reasons.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Run, RunEvent, RunOutcome, Step } from '../run/run.types.ts';
import { sayRefusal } from './error-texts.ts';
import { EXIT, type ExitCode, STOP_CODES, type StopSignal } from './exit-codes.ts';
import { canAsk, type Io } from './io.ts';
import { askPermission } from './permission-prompt.ts';
import { Progress } from './progress.ts';
import { COMMAND_LINE } from './step-lines.ts';
import { say } from './texts.ts';

/** What becomes of a question that was not granted beforehand. */
export type Asks =
  /** A person is asked here; a terminal that has gone is a no. */
  | 'terminal'
  /** People answer elsewhere, such as in the inspector page. */
  | 'elsewhere'
  /** A stored run is let go of, waiting. */
  | 'leave waiting'
  | 'deny';

/** How a run is driven from the command line. */
export interface DriveOptions {
  readonly locale: Locale;
  /** Approvals given beforehand. */
  readonly grants: readonly Approval[];
  readonly asks: Asks;
  /** Opens the inspector page at the run, for the key `o` at a question. */
  readonly openPage?: () => Promise<void>;
  readonly quiet: boolean;
  readonly times: boolean;
  /** Called with every event, for output that programs read. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** How a driven run ended, or how it was let go of. */
export type Driven =
  | { readonly end: 'rest'; readonly outcome: RunOutcome; readonly exitCode: ExitCode }
  | {
      readonly end: 'waiting';
      readonly questions: readonly Question[];
      /** The run's trace as it was then: its questions open. */
      readonly trace: readonly Step[];
      readonly exitCode: typeof EXIT.undecided;
    }
  | { readonly end: 'stopped'; readonly signal: StopSignal; readonly exitCode: ExitCode };

/** How often one call is approved from `--grant`: what it touches may change again and again. */
const MOST_GRANTS = 3;

/**
 * Drives a run to its rest: shows its progress, answers its questions from `--grant` or by asking,
 * lets go of it where it is to wait, and cancels it on Ctrl-C. A second Ctrl-C leaves at once. A
 * process that is told to leave lets go of the run as it stands.
 */
export async function drive(run: Run, io: Io, options: DriveOptions): Promise<Driven> {
  const { locale, quiet, times } = options;
  const progress = new Progress(io, { style: { locale, times }, quiet });
  const answers = new Answers(run, io, { ...options, progress, interrupt });
  let interrupts = 0;
  function interrupt(): void {
    interrupts += 1;
    if (interrupts > 1) {
      progress.stop();
      io.exit(EXIT.interrupted);
      return;
    }
    progress.say(say(locale, 'interrupt'));
    const cancel = () => run.cancel({ by: 'terminal' });
    const result = cancel();
    // After a sleep it counts as soon as it is known that the run is driven here still.
    if (!result.accepted && result.code === 'lapsed') run.saved().then(cancel, () => {});
  }
  const stop = { signal: null as StopSignal | null, closed: Promise.resolve() };
  const restoreInterrupt = io.onInterrupt(interrupt);
  const restoreStop = io.onStop((signal) => {
    if (stop.signal !== null) io.exit(STOP_CODES[signal]);
    stop.signal = signal;
    stop.closed = run.close();
    answers.abandon();
  });
  progress.start();
  try {
    for await (const event of run) {
      // What is told while it is let go of is no answer to its questions.
      const isLeft = answers.left !== null || stop.signal !== null;
      if (isLeft && event.type !== 'rest') continue;
      progress.see(event);
      options.onEvent?.(event);
      answers.see(event);
    }
    await answers.ended;
  } finally {
    await stop.closed;
    progress.stop();
    restoreInterrupt();
    restoreStop();
  }
  const { undecided, left } = answers;
  const { signal } = stop;
  if (left !== null) return { end: 'waiting', ...left, exitCode: EXIT.undecided };
  const outcome = await run.outcome;
  if (signal !== null && outcome.status === 'closed')
    return { end: 'stopped', signal, exitCode: STOP_CODES[signal] };
  // Whoever goes on with it may be another process.
  if (outcome.status === 'suspended') await run.close();
  const exitCode = exitCodeOf(outcome, { undecided, interrupted: interrupts > 0 });
  return { end: 'rest', outcome, exitCode: signal === null ? exitCode : STOP_CODES[signal] };
}

interface AnswersOptions extends DriveOptions {
  readonly progress: Progress;
  readonly interrupt: () => void;
}

/** Answers the questions of a run: from what was granted beforehand, by asking, or with no. */
class Answers {
  readonly #run: Run;
  readonly #io: Io;
  readonly #options: AnswersOptions;
  readonly #granted = new Map<string, number>();
  #asking: { readonly callId: string; readonly settled: AbortController } | null = null;
  /** Resolves when no question is on the screen any more. */
  ended: Promise<void> = Promise.resolve();
  /** Whether a call was denied because nobody could be asked. */
  undecided = false;
  /** What the run was left waiting for, or null. */
  left: { readonly questions: readonly Question[]; readonly trace: readonly Step[] } | null = null;

  constructor(run: Run, io: Io, options: AnswersOptions) {
    this.#run = run;
    this.#io = io;
    this.#options = options;
  }

  see(event: RunEvent): void {
    if (event.type === 'rest') this.abandon();
    if (event.type === 'step.finished' && event.step.kind === 'person') {
      const { callId } = event.step;
      if (this.#asking?.callId === callId) this.#asking.settled.abort();
    }
    if (event.type !== 'permission.requested') return;
    this.#grant();
    if (this.#run.questions.length === 0) return;
    const { asks } = this.#options;
    // Told again while the question stands on the screen.
    if (this.#asking !== null) return;
    if (asks === 'terminal' && canAsk(this.#io)) this.ended = this.#ask();
    else if (asks !== 'elsewhere') this.ended = this.#withoutPerson();
  }

  /** Takes the question off the screen: nobody is there to answer it any more. */
  abandon(): void {
    this.#asking?.settled.abort();
  }

  /** Gives what was granted beforehand and is missing; what else is missing is asked for after. */
  #grant(): void {
    for (const question of this.#run.questions) {
      const { callId, missing } = question;
      const given = missing.filter((approval) => this.#options.grants.includes(approval));
      const times = this.#granted.get(callId) ?? 0;
      if (given.length === 0 || times >= MOST_GRANTS) continue;
      this.#granted.set(callId, times + 1);
      this.#run.approve(question, { approvals: given, by: COMMAND_LINE });
    }
  }

  async #ask(): Promise<void> {
    const { progress, interrupt } = this.#options;
    progress.hold();
    for (let [question] = this.#run.questions; question; [question] = this.#run.questions) {
      const settled = new AbortController();
      this.#asking = { callId: question.callId, settled };
      try {
        const isInterrupted = await this.#askOne(question, settled.signal);
        if (isInterrupted) interrupt();
      } catch {
        // The deadline passed, or the run was cancelled, while the question stood on the screen.
        if (!settled.signal.aborted) await this.#withoutPerson();
      }
      this.#asking = null;
    }
    progress.release();
  }

  async #askOne(question: Question, signal: AbortSignal): Promise<boolean> {
    const run = this.#run;
    const { locale, progress, openPage } = this.#options;
    const waiting = run.questions.length;
    const given = await askPermission(this.#io, question, {
      ...{ locale, waiting, signal },
      ...(openPage && { openPage }),
    });
    if (given.answer === 'interrupt') return true;
    const result =
      given.answer === 'approve'
        ? run.approve(question, { by: 'terminal' })
        : run.deny(question, given.reason, { by: 'terminal' });
    const message = result.accepted ? '' : sayRefusal(result, locale);
    if (message !== '') progress.say(say(locale, 'refused', { message }), 'bad');
    return false;
  }

  async #withoutPerson(): Promise<void> {
    if (this.#options.asks !== 'leave waiting') return this.#denyAll();
    try {
      await this.#run.saved();
    } catch {
      return; // The run fails of that, and says so.
    }
    // Answered from elsewhere meanwhile, or over: it goes on.
    const { questions, trace } = this.#run;
    if (questions.length === 0) return;
    this.left = { questions, trace };
    await this.#run.close();
  }

  #denyAll(): void {
    this.undecided = true;
    const reason = say(this.#options.locale, 'nobodyReason');
    for (const { callId } of this.#run.questions)
      this.#run.deny(callId, reason, { by: COMMAND_LINE });
  }
}

function exitCodeOf(
  outcome: RunOutcome,
  { undecided, interrupted }: { readonly undecided: boolean; readonly interrupted: boolean },
): ExitCode {
  if (interrupted || outcome.status === 'cancelled') return EXIT.interrupted;
  if (outcome.status === 'suspended') return EXIT.suspended;
  if (outcome.status === 'failed') return outcome.error.code === 'auth' ? EXIT.auth : EXIT.failed;
  return undecided ? EXIT.undecided : EXIT.done;
}

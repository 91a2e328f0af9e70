import type { Approval } from '../../machines/permission/reasons.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import type { Run, RunEvent, RunOutcome } from '../run/run.types.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type Io, isInteractive } from './io.ts';
import { askPermission } from './permission-prompt.ts';
import { Progress } from './progress.ts';
import { say } from './texts.ts';

/** How a run is driven from the command line. */
export interface DriveOptions {
  readonly locale: Locale;
  /** Approvals given beforehand. */
  readonly grants: readonly Approval[];
  /** Whether a person may be asked. */
  readonly prompts: boolean;
  readonly quiet: boolean;
  readonly times: boolean;
  /** Called with every event, for output that programs read. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** How a driven run ended. */
export interface Driven {
  readonly outcome: RunOutcome;
  readonly exitCode: ExitCode;
}

/**
 * Drives a run to its rest: shows its progress, answers its questions from `--grant` or by asking,
 * and cancels it on Ctrl-C.
 */
export async function drive(run: Run, io: Io, options: DriveOptions): Promise<Driven> {
  const { locale, quiet, times } = options;
  const progress = new Progress(io, { style: { locale, times }, quiet });
  const asks = options.prompts && isInteractive(io);
  let undecided = false;
  let interrupts = 0;
  const interrupt = () => {
    interrupts += 1;
    if (interrupts > 1) return io.exit(EXIT.interrupted);
    progress.say(say(locale, 'interrupt'));
    run.cancel({ by: 'terminal' });
  };
  const restore = io.onInterrupt(interrupt);
  progress.start();
  try {
    for await (const event of run) {
      progress.see(event);
      options.onEvent?.(event);
      if (event.type !== 'permission.requested') continue;
      if (answerFromGrants(run, options.grants)) continue;
      if (asks) {
        progress.stop();
        await answerAtTerminal(run, io, { locale, interrupt });
        if (interrupts === 0) progress.start();
      } else {
        undecided = true;
        denyAll(run, progress, locale);
      }
    }
  } finally {
    progress.stop();
    restore();
  }
  const outcome = await run.outcome;
  return { outcome, exitCode: exitCodeOf(outcome, { undecided, interrupted: interrupts > 0 }) };
}

/** Gives what was granted beforehand where it is all that is missing. Says whether no question is left. */
function answerFromGrants(run: Run, grants: readonly Approval[]): boolean {
  for (const { callId, missing } of run.questions) {
    if (missing.every((approval) => grants.includes(approval)))
      run.approve(callId, missing, { by: 'command line' });
  }
  return run.questions.length === 0;
}

async function answerAtTerminal(
  run: Run,
  io: Io,
  { locale, interrupt }: { readonly locale: Locale; readonly interrupt: () => void },
): Promise<void> {
  const settled = new AbortController();
  for (let [question] = run.questions; question !== undefined; [question] = run.questions) {
    const { callId, missing, shown } = question;
    const watch = setInterval(() => {
      if (!run.questions.some((open) => open.callId === callId)) settled.abort();
    }, 200);
    try {
      const given = await askPermission(io, question, { locale, signal: settled.signal });
      if (given.answer === 'approve') run.approve(callId, missing, { by: 'terminal', shown });
      else if (given.answer === 'deny') run.deny(callId, given.reason, { by: 'terminal' });
      else interrupt();
    } catch {
      // The deadline passed, or the run was cancelled, while the question stood on the screen.
      return;
    } finally {
      clearInterval(watch);
    }
  }
}

function denyAll(run: Run, progress: Progress, locale: Locale): void {
  for (const { callId, tool, reasons } of run.questions) {
    const why = reasons.map((reason) => reason[locale]).join('; ');
    progress.say(`ask    ${tool} · ${why} · ${say(locale, 'nobody')}`);
    run.deny(callId, say(locale, 'nobodyReason'), { by: 'command line' });
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

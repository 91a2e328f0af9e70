import type { HookEvent } from '../../machines/agent/matcher.ts';
import type { ErrorData } from '../../machines/vocabulary/errors.ts';
import { toErrorData } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import { orAborted, timeLimit } from '../support/abort.ts';
import { harmlessly } from '../support/harmlessly.ts';
import { deepFreeze, frozenHistory } from './frozen-copy.ts';
import type { Hook, HookInputs, HookOutputs, HookRunView } from './hook.types.ts';
import { checkOutput } from './hook-output.ts';

/** One hook as it ran, for a trace. */
export interface HookStep {
  readonly hook: string;
  readonly event: HookEvent;
  /** As `now()` said when it began. */
  readonly startedAt: number;
  /** Milliseconds by `now()`. */
  readonly ms: number;
  /** What it decided; `ok` for PostToolUse; `failed` when `error` says why. */
  readonly verdict: string;
  readonly error: ErrorData | null;
}

/** What every run of hooks is given. */
export interface RunHooksOptions {
  /** Cancels: the hook that is running is told, and no further hook starts. */
  readonly signal: AbortSignal;
  /** Called after each hook. What it throws harms nothing. */
  readonly onStep?: (step: HookStep) => void;
  /** The clock, in milliseconds. */
  now(): number;
}

export type HookFailureCode = 'hook_timeout' | 'hook_crashed' | 'hook_invalid' | 'hook_aborted';

/** A failure, with the words that go into reasons, in the run's language. */
export interface HookFailure {
  readonly error: ErrorData;
  readonly text: string;
}

/** How one hook ended. */
export type HookAnswer<Event extends HookEvent> =
  | { readonly hook: string; readonly ok: true; readonly output: HookOutputs[Event] }
  | { readonly hook: string; readonly ok: false; readonly failure: HookFailure };

const FAILURE_TEXTS: Record<HookFailureCode, Record<Locale, (detail: string) => string>> = {
  hook_timeout: {
    zh: (detail) => `钩子在 ${detail} 毫秒内没有答复`,
    en: (detail) => `The hook did not answer within ${detail} ms`,
  },
  hook_crashed: {
    zh: (detail) => `钩子出错：${detail}`,
    en: (detail) => `The hook crashed: ${detail}`,
  },
  hook_invalid: {
    zh: (detail) => `钩子的答复不合规定：${detail}`,
    en: (detail) => `The hook's answer is not valid: ${detail}`,
  },
  hook_aborted: {
    zh: () => '运行已取消，钩子没有完成',
    en: () => 'The run was cancelled before the hook finished',
  },
};

/** A failure of a hook, in the words of `locale`; the error's own message is English. */
export function hookFailure(code: HookFailureCode, detail: string, locale: Locale): HookFailure {
  const texts = FAILURE_TEXTS[code];
  return { error: { code, message: texts.en(detail) }, text: texts[locale](detail) };
}

/**
 * Runs one hook. Never rejects. The hook gets a frozen copy of `input` and a signal that aborts
 * with `options.signal` or after the hook's timeout; one that ignores its signal still times out
 * (only a hook that never yields to the event loop cannot be stopped).
 */
export async function callHook<Event extends HookEvent>(
  hook: Hook<Event>,
  input: HookInputs[Event],
  options: RunHooksOptions,
): Promise<HookAnswer<Event>> {
  const startedAt = options.now();
  const answer = await answerOf(hook, input, options.signal);
  const step: HookStep = {
    hook: hook.name,
    event: hook.event,
    startedAt,
    ms: options.now() - startedAt,
    verdict: answer.ok ? verdictOf(answer.output) : 'failed',
    error: answer.ok ? null : answer.failure.error,
  };
  harmlessly(() => options.onStep?.(step));
  return answer;
}

async function answerOf<Event extends HookEvent>(
  hook: Hook<Event>,
  input: HookInputs[Event],
  signal: AbortSignal,
): Promise<HookAnswer<Event>> {
  const { locale } = input;
  const failed = (code: HookFailureCode, detail: string): HookAnswer<Event> => ({
    hook: hook.name,
    ok: false,
    failure: hookFailure(code, detail, locale),
  });
  if (signal.aborted) return failed('hook_aborted', '');

  const limit = timeLimit(hook.timeout, { signal });
  try {
    const checked = checkOutput(
      hook.event,
      await orAborted(runIsolated(hook, input, limit.signal), limit.signal),
    );
    if (!checked.ok) return failed('hook_invalid', checked.problem);
    return { hook: hook.name, ok: true, output: checked.output };
  } catch (thrown) {
    if (limit.isTimeout()) return failed('hook_timeout', String(hook.timeout));
    if (signal.aborted) return failed('hook_aborted', '');
    return failed('hook_crashed', toErrorData(thrown, 'hook_crashed').message);
  } finally {
    limit.end();
  }
}

async function runIsolated<Event extends HookEvent>(
  hook: Hook<Event>,
  input: HookInputs[Event],
  signal: AbortSignal,
): Promise<unknown> {
  return hook.run(frozenCopy(input), { signal });
}

function frozenCopy<Input extends HookRunView>(input: Input): Input {
  const { messages, ...rest } = input;
  const history = frozenHistory(messages);
  return Object.freeze({ ...deepFreeze(structuredClone(rest)), messages: history }) as Input;
}

function verdictOf(output: object): string {
  return 'decision' in output ? String(output.decision) : 'ok';
}

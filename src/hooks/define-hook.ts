import { z } from 'zod';
import type { HookEvent } from '../../machines/agent/matcher.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { LONGEST_TIMER } from '../../machines/vocabulary/time.ts';
import type { Hook } from './hook.types.ts';

/** Milliseconds a hook has by default. */
export const DEFAULT_HOOK_TIMEOUT = 60_000;

/** A hook as a host writes it; what is left out gets its default. */
export interface HookDefinition<Event extends HookEvent> {
  /** Unique among the agent's hooks. */
  readonly name: string;
  readonly event: Event;
  /** Which tools, for PreToolUse and PostToolUse. Default `*`. */
  readonly matcher?: string;
  /** Milliseconds, default 60 000. */
  readonly timeout?: number;
  readonly run: Hook<Event>['run'];
}

const definitionSchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  event: z.enum(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop']),
  matcher: z.string().default('*'),
  timeout: z.number().int().min(1).max(LONGEST_TIMER).default(DEFAULT_HOOK_TIMEOUT),
  run: z.custom<Hook['run']>((value) => typeof value === 'function', 'must be a function'),
});

/** A hook in which nothing is left out. */
const wholeSchema = z.object({
  ...definitionSchema.shape,
  matcher: z.string(),
  timeout: definitionSchema.shape.timeout.unwrap(),
});

/**
 * Checks a hook and fills in its defaults. The result is frozen.
 *
 * @throws AgentHubError `invalid_hook`, naming the hook, the property and what is allowed; also
 * for a matcher on an event without tools (it would silently do nothing) and for one that is not
 * a regular expression.
 */
export function defineHook<Event extends HookEvent>(
  definition: HookDefinition<Event>,
): Hook<Event> {
  const checked = definitionSchema.safeParse(definition);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    const where = issue?.path.join('.') || 'definition';
    throw invalidHook(definition, `${where}: ${issue?.message ?? 'invalid'}`);
  }
  const { name, matcher, timeout } = checked.data;
  const { event, run } = definition;
  const hook: Hook<Event> = Object.freeze({ name, event, matcher, timeout, run });
  requireHook(hook);
  return hook;
}

/** @throws AgentHubError `invalid_hook` for what is no whole hook, however it was made. */
export function requireHook(hook: Hook): void {
  const checked = wholeSchema.safeParse(hook);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    throw invalidHook(hook, `${issue?.path.join('.') || 'hook'}: ${issue?.message ?? 'invalid'}`);
  }
  const { event, matcher } = checked.data;
  const forTools = event === 'PreToolUse' || event === 'PostToolUse';
  if (!forTools && !isEverything(matcher)) {
    throw invalidHook(hook, `matcher: ${event} has no tool to match; leave it out`);
  }
  if (!compiles(matcher)) {
    throw invalidHook(hook, `matcher: ${matcher} is not a name list or regular expression`);
  }
}

function invalidHook(definition: unknown, problem: string): AgentHubError<'invalid_hook'> {
  const name = (definition as { name?: unknown } | null)?.name;
  const which = typeof name === 'string' && name.trim() !== '' ? `Hook "${name}"` : 'A hook';
  return new AgentHubError('invalid_hook', `${which} is not valid: ${problem}`);
}

function isEverything(matcher: string): boolean {
  return matcher.trim() === '' || matcher.trim() === '*';
}

function compiles(matcher: string): boolean {
  if (isEverything(matcher)) return true;
  try {
    new RegExp(matcher.trim(), 'u');
    return true;
  } catch {
    // `-` and `,` lists of plain names need not be valid patterns.
    return /^[\w\- ,|]*$/u.test(matcher);
  }
}

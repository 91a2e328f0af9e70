/** The four points at which hooks run; names and meaning of Claude Code's. */
export type HookEvent = 'UserPromptSubmit' | 'PreToolUse' | 'PostToolUse' | 'Stop';

/** A hook as the chart knows it: which event, which tools. JSON. */
export interface HookSelector {
  readonly name: string;
  readonly event: HookEvent;
  /** Which tools, for the two tool events; see {@link matchesTool}. */
  readonly matcher: string;
}

const NAME_LIST = /^[\w\- ,|]*$/u;

/**
 * Whether a matcher selects a tool. As in Claude Code: `*` or the empty text selects all; only
 * letters, digits, `_`, `-`, space, `,` and `|` are exact names, separated by `,` or `|`; anything
 * else is an unanchored regular expression. One that does not compile selects every tool, so that
 * a mistyped gate closes more, never less.
 */
export function matchesTool(matcher: string, tool: string): boolean {
  const names = namesIn(matcher);
  if (names !== null) return names.length === 0 || names.includes(tool);
  try {
    return new RegExp(matcher.trim(), 'u').test(tool);
  } catch {
    return true;
  }
}

/** The exact names that a matcher lists: none where it selects all, null for an expression. */
export function namesIn(matcher: string): readonly string[] | null {
  const text = matcher.trim();
  if (text === '' || text === '*') return [];
  return NAME_LIST.test(text) ? text.split(/[|,]/u).map((name) => name.trim()) : null;
}

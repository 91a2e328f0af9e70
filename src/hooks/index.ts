export { auditLine, type WriteLine } from './audit-line.ts';
export type { HookStep, RunHooksOptions } from './call-hook.ts';
export { DEFAULT_HOOK_TIMEOUT, defineHook, type HookDefinition } from './define-hook.ts';
export type { Hook, HookInputs, HookOutputs, HookRunView } from './hook.types.ts';
export { runPostToolUse, runPreToolUse, runStop, runUserPromptSubmit } from './run-hooks.ts';
export { todoReminder, unfinishedTodos } from './todo-hooks.ts';

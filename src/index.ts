/** AgentHub: an agent engine whose loop is an explicit statechart. */

export {
  type AgentInput,
  type AgentOutput,
  DEFAULT_LIMITS,
  type HookEvent,
  type Limits,
  type Question,
  type Rest,
  type SuspensionReason,
  type UsageReport,
} from '../machines/agent/index.ts';
export {
  type Approval,
  DEFAULT_POLICIES,
  type Facts,
  type Policies,
  type Policy,
  type Reason,
  type Rule,
} from '../machines/permission/index.ts';
export { AgentHubError, type ErrorData, toErrorData } from '../machines/vocabulary/errors.ts';
export type { Json, JsonObject, Locale, LocalizedText } from '../machines/vocabulary/json.ts';
export type { Message, Outcome } from '../machines/vocabulary/messages.ts';
export type {
  ChatMessage,
  MessageOrigin,
  ModelDelta,
  ModelErrorCode,
  ModelErrorDetails,
  ModelReply,
  ModelRequest,
  NativeCall,
  ObservedCall,
  RequestRecord,
  ToolSpec,
  Usage,
} from '../machines/vocabulary/model.ts';
export type { TodoItem, TodoStatus } from '../machines/vocabulary/todos.ts';
export {
  auditLine,
  defineHook,
  type Hook,
  type HookDefinition,
  type HookInputs,
  type HookOutputs,
  todoReminder,
  unfinishedTodos,
  type WriteLine,
} from './hooks/index.ts';
export {
  type GenerateOptions,
  type Model,
  type OpenAIModelOptions,
  openaiModel,
  type Timers,
} from './model/index.ts';
export { nativeCalls, type Protocol, reactText } from './protocol/index.ts';
export type { Agent, AgentOptions, StartOptions } from './run/agent.types.ts';
export { createAgent } from './run/create-agent.ts';
export { createDefaultTools, type DefaultToolsOptions } from './run/default-tools.ts';
export type { StoredCall } from './run/history/calls.ts';
export type { Flip } from './run/history/policy-check.ts';
export type { TimelineEntry } from './run/history/timeline.ts';
export type { ConsideredGrant, Explanation, WhyEntry } from './run/history/why.types.ts';
export { createHookRunner } from './run/hook-runner.ts';
export type {
  AnswerOptions,
  AnswerResult,
  ApproveOptions,
  AskedQuestion,
  DecisionStep,
  HookStep,
  ModelStep,
  PersonStep,
  Refusal,
  Run,
  RunEvent,
  RunLeavings,
  RunOutcome,
  Step,
  ToolStep,
} from './run/run.types.ts';
export { openRuns } from './run/runs.ts';
export type {
  PersonOptions,
  PostedAnswer,
  Runs,
  RunsOptions,
  StoredRun,
} from './run/runs.types.ts';
export { memoryStore } from './run/store/memory-store.ts';
export type {
  AppendOptions,
  EventRecord,
  InboxEntry,
  IntentRecord,
  Lease,
  LeaseRequest,
  LogRecord,
  RunFilter,
  RunStatus,
  RunStore,
  RunSummary,
  StartRecord,
  StoreErrorCode,
} from './run/store/store.types.ts';
export { defineTool, type ToolDefinition } from './tools/define-tool.ts';
export type { Tool, ToolContext, ToolResult } from './tools/tool.types.ts';

/** The agent machine: what may happen in a run. */

export {
  type Graph,
  type GraphState,
  type GraphTransition,
  toGraph,
  toMermaid,
  toOverview,
} from './agent.graph.ts';
export { AGENT_MACHINE_VERSION, type AgentSnapshot, agentMachine } from './agent.machine.ts';
export { type Answerer, denialOf, grantOf } from './agent.orders.ts';
export { type PortInputs, type PortName, type PortOutputs, ports } from './agent.ports.ts';
export type {
  AgentContext,
  AgentEvent,
  AgentInput,
  AgentOutput,
  ByCall,
  Call,
  CallResult,
  CallStage,
  CheckedCall,
  Fault,
  Grant,
  Inspection,
  Limits,
  ModelAnswer,
  ParsedReply,
  PostToolVerdict,
  PreToolVerdict,
  PublicEvent,
  Rest,
  SuspensionReason,
  ToolOutput,
  UsageTotals,
} from './agent.types.ts';
export { DEFAULT_LIMITS } from './agent.types.ts';
export {
  explainCall,
  type Question,
  questionsOf,
  reportUsage,
  restOf,
  stateOf,
  todosOf,
  type UsageReport,
  type ViewableSnapshot,
} from './agent.view.ts';
export { type HookEvent, type HookSelector, matchesTool } from './matcher.ts';

/** For testing agents: a strict model, and the exploration of the real machine. */

export { checkPath, type WalkedPath } from './check-path.ts';
export {
  type CheckOptions,
  type Counterexample,
  checkProperties,
  type PropertyReport,
  type PropertyResult,
} from './check-properties.ts';
export { controlState } from './control-state.ts';
export { type Coverage, type CoverageCounter, createCoverage, type Mismatch } from './coverage.ts';
export { BOUNDS, type Bound, type Cycle, findCycles, LOOPS } from './cycles.ts';
export {
  type Exploration,
  type ExploredEdge,
  type ExploredState,
  type ExploreOptions,
  explore,
  pathTo,
} from './explore.ts';
export { fingerprintOf } from './fingerprint.ts';
export {
  formatMermaid,
  formatSteps,
  formatTest,
  isBroken,
  type Origin,
} from './format-counterexample.ts';
export { COMES_TO_REST, INVARIANTS } from './invariants/index.ts';
export {
  always,
  type CallCondition,
  type CallFilter,
  enters,
  event,
  eventually,
  granted,
  isIn,
  never,
  type Occurrence,
  onlyAfter,
  type Property,
  settles,
  starts,
} from './properties.ts';
export { type InspectedTool, recordFacts } from './record-facts.ts';
export { type HookRunner, recordHookAnswers } from './record-hooks.ts';
export { createReplay, type Replay, type ReplayOptions } from './replay.ts';
export {
  type Hold,
  hold,
  type ScriptedError,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedStep,
  scriptedModel,
} from './scripted-model.ts';
export type { Taken } from './taken.ts';
export {
  type Verification,
  type VerifyOptions,
  verify,
  type WorldReport,
} from './verify.ts';
export { callOf, type HostParts, hostWorlds } from './world/host-worlds.ts';
export {
  CALLS,
  FACTS,
  LIMITS_WORLD,
  NO_HOOKS_WORLD,
  ONE_CALL_WORLD,
  SHIPPED_WORLDS,
  TWO_CALL_LIMITS_WORLD,
  TWO_CALL_NO_HOOKS_WORLD,
  TWO_CALL_WORLD,
} from './world/shipped-worlds.ts';
export { worldEvents, worldInput } from './world/world.ts';
export type {
  AgentSnapshot,
  FactsFailure,
  FactsVariant,
  NamedWorld,
  World,
  WorldCall,
  WorldEvent,
} from './world/world.types.ts';

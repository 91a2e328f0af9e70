import type { CheckedCall } from '../../../machines/agent/agent.types.ts';
import { DEFAULT_LIMITS } from '../../../machines/agent/agent.types.ts';
import type { Facts } from '../../../machines/permission/evaluate.ts';
import { DEFAULT_POLICIES } from '../../../machines/permission/policies.ts';
import type { FactsVariant, NamedWorld, World } from './world.types.ts';

const call = (tool: string, problem: CheckedCall['problem'] = null): CheckedCall => ({
  tool,
  providerId: null,
  input: { path: 'a' },
  problem,
});

/** Calls of each kind: valid, without a policy, unknown, with arguments that are not valid. */
export const CALLS = {
  image: call('image_scaling'),
  search: call('knowledge_search'),
  uncovered: call('echo'),
  unknown: call('nothing', { outcome: 'unknown_tool', content: 'no such tool' }),
  invalid: call('image_scaling', { outcome: 'invalid_arguments', content: 'no width' }),
} as const;

/** The facts of a call that touches nothing; a variant says what differs. */
export const HARMLESS: Facts = {
  toolName: '',
  touchesPrivate: false,
  outsideAllowedArea: false,
  serviceAllowed: true,
  outputExists: false,
  identity: null,
};

/** What a call may turn out to touch. */
export const FACTS = {
  clean: { name: 'clean', facts: {} },
  overwrite: { name: 'overwrite', facts: { outputExists: true } },
  outside: { name: 'outside', facts: { outsideAllowedArea: true } },
  all: {
    name: 'all three',
    facts: { outsideAllowedArea: true, serviceAllowed: false, outputExists: true },
  },
  private: { name: 'private', facts: { touchesPrivate: true } },
} as const satisfies Record<string, FactsVariant>;

const EVERYTHING: World = {
  policies: DEFAULT_POLICIES,
  hooks: ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'],
  limits: {
    ...DEFAULT_LIMITS,
    ...{ callsPerReply: 2, turns: 1, repairs: 1, stopBlocks: 1, setbacks: 1 },
  },
  calls: Object.values(CALLS),
  callsPerReply: [0, 1, 3],
  preToolVerdicts: ['proceed', 'ask', 'block', 'failed'],
  omissions: true,
  crashes: true,
  facts: Object.values(FACTS),
  toolOutcomes: ['ok', 'error', 'timeout', 'unknown', 'not_started', 'crash'],
  grants: ['full', 'partial', 'expired', 'brief'],
  modelCosts: [{ ms: 1, tokens: 1 }],
  raisedLimits: null,
  cancel: true,
  strayAnswers: true,
};

/** One call per reply and all that may become of it; the run rests after its first turn. */
export const ONE_CALL_WORLD: World = EVERYTHING;

/** Two calls in one reply and all that may become of them; the run rests after the batch. */
export const TWO_CALL_WORLD: World = {
  ...EVERYTHING,
  limits: { ...EVERYTHING.limits, setbacks: 0 },
  calls: [CALLS.image],
  callsPerReply: [0, 2, 3],
  toolOutcomes: ['ok', 'error', 'timeout', 'unknown', 'crash'],
  grants: ['full', 'partial', 'expired'],
  strayAnswers: false,
};

/** No hooks at all: every hook state is passed by. */
export const NO_HOOKS_WORLD: World = {
  ...EVERYTHING,
  hooks: [],
};

/** Two calls in one reply and no hooks. */
export const TWO_CALL_NO_HOOKS_WORLD: World = {
  ...TWO_CALL_WORLD,
  limits: { ...EVERYTHING.limits, setbacks: 1 },
  hooks: [],
  callsPerReply: [2],
  facts: [FACTS.clean, FACTS.overwrite],
  omissions: false,
  toolOutcomes: ['ok', 'unknown', 'not_started'],
  grants: ['full', 'expired', 'brief'],
  strayAnswers: true,
};

/** Few kinds of calls, every counter and limit small enough to be reached and raised once. */
export const LIMITS_WORLD: World = {
  ...EVERYTHING,
  limits: {
    ...DEFAULT_LIMITS,
    ...{ turns: 2, toolCalls: 2, callsPerReply: 1, repairs: 1, stopBlocks: 1, repeatedCalls: 2 },
    ...{ tokens: 10, time: 1_000, approvalDeadline: 1_000, setbacks: 1 },
  },
  calls: [CALLS.search, CALLS.image],
  callsPerReply: [1, 2],
  preToolVerdicts: ['proceed'],
  omissions: false,
  facts: [FACTS.clean, FACTS.overwrite],
  toolOutcomes: ['ok', 'not_started'],
  grants: ['full'],
  modelCosts: [
    { ms: 1, tokens: 1 },
    { ms: 2_000, tokens: 1 },
    { ms: 1, tokens: 10 },
  ],
  raisedLimits: { turns: 3, toolCalls: 3, repairs: 2, stopBlocks: 2, tokens: 100, time: 9_000 },
  strayAnswers: false,
};

/** The same with two calls per reply. */
export const TWO_CALL_LIMITS_WORLD: World = {
  ...LIMITS_WORLD,
  limits: {
    ...LIMITS_WORLD.limits,
    ...{ callsPerReply: 2, toolCalls: 4, turns: 2, setbacks: 0 },
  },
  calls: [CALLS.image],
  callsPerReply: [2, 3],
  preToolVerdicts: ['proceed', 'block'],
  facts: [FACTS.clean, FACTS.overwrite],
  toolOutcomes: ['ok', 'unknown', 'not_started'],
  modelCosts: [{ ms: 1, tokens: 1 }],
  raisedLimits: { ...LIMITS_WORLD.raisedLimits, turns: 3, toolCalls: 6 },
};

/** What the shipped machine is verified in. */
export const SHIPPED_WORLDS: readonly NamedWorld[] = [
  { name: 'one call per reply', world: ONE_CALL_WORLD, replay: 'all' },
  { name: 'one call per reply, no hooks', world: NO_HOOKS_WORLD, replay: 'all' },
  { name: 'one call per reply, every limit', world: LIMITS_WORLD, replay: 'all' },
  { name: 'two calls per reply', world: TWO_CALL_WORLD, replay: 40 },
  { name: 'two calls per reply, no hooks', world: TWO_CALL_NO_HOOKS_WORLD, replay: 40 },
  { name: 'two calls per reply, every limit', world: TWO_CALL_LIMITS_WORLD, replay: 40 },
];

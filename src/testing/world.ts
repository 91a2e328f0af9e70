import type { SnapshotFrom } from 'xstate';
import { decide, missingApprovals, shownOf } from '../../machines/agent/agent.calls.ts';
import type { agentMachine } from '../../machines/agent/agent.machine.ts';
import type {
  AgentInput,
  Call,
  CheckedCall,
  Inspection,
  Limits,
  ModelAnswer,
  ParsedReply,
  PreToolVerdict,
} from '../../machines/agent/agent.types.ts';
import { DEFAULT_LIMITS } from '../../machines/agent/agent.types.ts';
import type { HookEvent } from '../../machines/agent/matcher.ts';
import type { Facts } from '../../machines/permission/evaluate.ts';
import { DEFAULT_POLICIES, type Policies } from '../../machines/permission/policies.ts';
import { APPROVALS, type Approval } from '../../machines/permission/reasons.ts';
import { canonicalJson } from '../../machines/vocabulary/json.ts';

export type AgentSnapshot = SnapshotFrom<typeof agentMachine>;

/** An event of the exploration: what the chart is sent, and a short name for people. */
export interface WorldEvent {
  readonly type: string;
  /** Such as `tool.1.0 → unknown`; unique among the events of one state. */
  readonly label: string;
  readonly [payload: string]: unknown;
}

/** One thing a call may turn out to touch. */
export interface FactsVariant {
  readonly name: string;
  readonly facts: Partial<Facts>;
}

/** A call that a model may ask for, and what may become of it before it runs. */
export interface WorldCall extends CheckedCall {
  /** What it may turn out to touch; by default what the world says. */
  readonly facts?: readonly FactsVariant[];
  /** What its PreToolUse hooks may answer; by default every verdict of the world. */
  readonly hookAnswers?: readonly PreToolVerdict[];
}

/**
 * What may happen around the machine: every answer that its actors and people may give. An
 * exploration is as complete as its world.
 */
export interface World {
  /** Hook events with a hook registered (its matcher `*`). */
  readonly hooks: readonly HookEvent[];
  readonly limits: Limits;
  readonly policies: Policies;
  /** Calls a model may ask for. A reply holds any combination of them. */
  readonly calls: readonly WorldCall[];
  /** How many calls one reply may hold. */
  readonly callsPerReply: readonly number[];
  readonly preToolVerdicts: readonly PreToolVerdict['verdict'][];
  /** Whether a hook's or inspection's answer may leave a call out. */
  readonly omissions: boolean;
  /** Whether actors may fail as a whole. */
  readonly crashes: boolean;
  readonly facts: readonly FactsVariant[];
  readonly toolOutcomes: readonly ('ok' | 'error' | 'timeout' | 'unknown' | 'crash')[];
  readonly grants: readonly ('full' | 'partial' | 'expired')[];
  /** How much time and how many tokens one model request may take. */
  readonly modelCosts: readonly { readonly ms: number; readonly tokens: number }[];
  /** Limits a person may raise to, once per limit; null: nobody resumes. */
  readonly raisedLimits: Partial<Limits> | null;
  readonly cancel: boolean;
  /** Whether people also give answers that nobody asked for, or that fit no more. */
  readonly strayAnswers: boolean;
}

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
  limits: { ...DEFAULT_LIMITS, callsPerReply: 2, turns: 1, repairs: 1, stopBlocks: 1 },
  calls: Object.values(CALLS),
  callsPerReply: [0, 1, 3],
  preToolVerdicts: ['proceed', 'ask', 'block', 'failed'],
  omissions: true,
  crashes: true,
  facts: Object.values(FACTS),
  toolOutcomes: ['ok', 'error', 'timeout', 'unknown', 'crash'],
  grants: ['full', 'partial', 'expired'],
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
  calls: [CALLS.image],
  callsPerReply: [0, 2, 3],
  strayAnswers: false,
};

/** No hooks at all: every hook state is passed by. */
export const NO_HOOKS_WORLD: World = { ...EVERYTHING, hooks: [] };

/** Two calls in one reply and no hooks. */
export const TWO_CALL_NO_HOOKS_WORLD: World = {
  ...TWO_CALL_WORLD,
  hooks: [],
  callsPerReply: [2],
  facts: [FACTS.clean, FACTS.overwrite],
  omissions: false,
  strayAnswers: true,
};

/** Few kinds of calls, every counter and limit small enough to be reached and raised once. */
export const LIMITS_WORLD: World = {
  ...EVERYTHING,
  limits: {
    ...DEFAULT_LIMITS,
    ...{ turns: 2, toolCalls: 2, callsPerReply: 1, repairs: 1, stopBlocks: 1, repeatedCalls: 2 },
    ...{ tokens: 10, time: 1_000, approvalDeadline: 1_000 },
  },
  calls: [CALLS.search, CALLS.image],
  callsPerReply: [1, 2],
  preToolVerdicts: ['proceed'],
  omissions: false,
  facts: [FACTS.clean, FACTS.overwrite],
  toolOutcomes: ['ok'],
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
  limits: { ...LIMITS_WORLD.limits, callsPerReply: 2, toolCalls: 4, turns: 2 },
  calls: [CALLS.image],
  callsPerReply: [2, 3],
  preToolVerdicts: ['proceed', 'block'],
  facts: [FACTS.clean, FACTS.overwrite],
  toolOutcomes: ['ok', 'unknown'],
  modelCosts: [{ ms: 1, tokens: 1 }],
  raisedLimits: { ...LIMITS_WORLD.raisedLimits, turns: 3, toolCalls: 6 },
};

/** The input of a run in a world. */
export function worldInput({ hooks, limits, policies }: World): AgentInput {
  return {
    runId: 'run',
    startedAt: 0,
    locale: 'en',
    prompt: 'task',
    history: [],
    hooks: hooks.map((event) => ({ name: event, event, matcher: '*' })),
    policies,
    limits,
  };
}

/** Everything that may happen in a state, from its live actors and from people. */
export function worldEvents(world: World, snapshot: AgentSnapshot): readonly WorldEvent[] {
  if (snapshot.status !== 'active') return [];
  const children = Object.entries(snapshot.children) as [string, { src?: unknown } | undefined][];
  const answers = children.flatMap(([id, child]) =>
    actorEvents(world, snapshot, id, String(child?.src)),
  );
  const cancel = { type: 'run.cancel', label: 'person cancels', by: 'person', at: now(snapshot) };
  return [...answers, ...personEvents(world, snapshot), ...(world.cancel ? [cancel] : [])];
}

function now({ context }: AgentSnapshot): number {
  return context.clock.at;
}

function actorEvents(world: World, snapshot: AgentSnapshot, id: string, src: string): WorldEvent[] {
  const done = (answer: string, output: unknown): WorldEvent => ({
    type: `xstate.done.actor.${id}`,
    label: `${id} → ${answer}`,
    actorId: id,
    output,
  });
  const failed = (answer: string, details?: unknown): WorldEvent => ({
    type: `xstate.error.actor.${id}`,
    label: `${id} ✗ ${answer}`,
    actorId: id,
    error: { code: answer, message: answer, details },
  });
  const crashes = world.crashes ? [failed('crash')] : [];
  const note = [{ source: 'hook', text: 'because' }];

  switch (src) {
    case 'userPromptSubmit':
      return [
        ...(['proceed', 'block', 'failed'] as const).map((verdict) =>
          done(verdict, { verdict, context: note, reasons: note }),
        ),
        ...crashes,
      ];
    case 'callModel':
      return [
        ...world.modelCosts.map((cost) =>
          done(`reply (${cost.ms} ms, ${cost.tokens} tokens)`, modelAnswer(now(snapshot), cost)),
        ),
        ...(world.crashes ? [failed('unavailable', { retryable: true }), failed('auth')] : []),
      ];
    case 'parseReply':
      return [...parsedReplies(world).map(([name, parsed]) => done(name, parsed)), ...crashes];
    case 'preToolUse':
      return [
        ...combinations(live(snapshot), (one) => hookAnswersFor(world, one)).map(([name, chosen]) =>
          done(name, Object.fromEntries(chosen)),
        ),
        ...crashes,
      ];
    case 'inspectFacts':
      return [
        ...combinations(live(snapshot), (one) => factsFor(world, one)).map(([name, chosen]) =>
          done(name, { at: now(snapshot), facts: Object.fromEntries(chosen) } satisfies Inspection),
        ),
        ...crashes,
      ];
    case 'approvalDeadline':
      return [done('passed', { at: now(snapshot) }), ...crashes];
    case 'tool':
      return world.toolOutcomes.map((outcome) =>
        outcome === 'crash'
          ? failed('crash')
          : done(outcome, { outcome, content: outcome, ms: 1, at: now(snapshot) }),
      );
    case 'postToolUse':
      return [
        done(
          'answered',
          Object.fromEntries(
            snapshot.context.calls.map(({ id: callId }) => [
              callId,
              { content: 'replaced', context: note, faults: [] },
            ]),
          ),
        ),
        ...crashes,
      ];
    case 'stop':
      return [
        ...(['allow', 'block', 'failed'] as const).map((verdict) =>
          done(verdict, { verdict, reasons: note }),
        ),
        ...crashes,
      ];
    default:
      throw new Error(`The world does not know the actor source "${src}".`);
  }
}

function personEvents(world: World, snapshot: AgentSnapshot): WorldEvent[] {
  const { context } = snapshot;
  const asked = context.calls.filter(({ stage }) => stage === 'asked');
  const answers = asked.flatMap((question) => [
    ...world.grants.flatMap((kind) => grantOf(kind, question, snapshot)),
    {
      type: 'permission.deny',
      label: `person denies ${question.id}`,
      callId: question.id,
      reason: 'no',
      by: 'person',
      at: now(snapshot),
    },
  ]);
  const stray = world.strayAnswers ? strayAnswers(snapshot) : [];
  return [...answers, ...stray, ...resumeEvents(world, snapshot)];
}

function grantOf(
  kind: World['grants'][number],
  question: Call,
  snapshot: AgentSnapshot,
): WorldEvent[] {
  const missing = missingApprovals(decide(question, snapshot.context.policies));
  if (kind === 'partial' && missing.length < 2) return [];
  const approvals: readonly Approval[] = kind === 'partial' ? missing.slice(0, 1) : missing;
  return [
    {
      type: 'permission.grant',
      label: `person grants ${question.id} (${kind})`,
      callId: question.id,
      approvals,
      shown: shownOf(question),
      by: 'person',
      at: now(snapshot),
      expiresAt: kind === 'expired' ? now(snapshot) : null,
    },
  ];
}

/** Answers that must change nothing: for another call, for what is not missing, for something else. */
function strayAnswers(snapshot: AgentSnapshot): WorldEvent[] {
  const at = now(snapshot);
  const part = { by: 'person', at, expiresAt: null, approvals: ['use'], shown: 'something else' };
  const { calls, policies } = snapshot.context;
  const notMissing = (known: Call): Approval => {
    const missing = missingApprovals(decide(known, policies));
    return (['use', ...APPROVALS] as const).find((one) => !missing.includes(one)) ?? 'use';
  };
  const grants = calls.flatMap((known) => [
    {
      ...part,
      type: 'permission.grant',
      label: `stray: stale grant ${known.id}`,
      callId: known.id,
    },
    {
      ...part,
      type: 'permission.grant',
      label: `stray: grant of nothing missing ${known.id}`,
      callId: known.id,
      approvals: [notMissing(known)],
      shown: shownOf(known),
    },
  ]);
  const deny = { type: 'permission.deny', reason: '', by: 'person', at };
  const resume = {
    type: 'run.resume',
    label: 'stray: resume of nothing',
    limits: {},
    by: 'person',
    at,
  };
  return [
    ...grants,
    { ...deny, label: 'stray: deny of no call', callId: '9.9' },
    ...(snapshot.context.rest === null ? [resume] : []),
  ];
}

function resumeEvents({ raisedLimits }: World, { context }: AgentSnapshot): WorldEvent[] {
  if (raisedLimits === null || context.rest?.status !== 'suspended') return [];
  return [
    {
      type: 'run.resume',
      label: 'person resumes',
      limits: raisedLimits,
      by: 'person',
      at: context.clock.at,
    },
  ];
}

function live({ context }: AgentSnapshot): readonly Call[] {
  return context.calls.filter(({ stage }) => stage === 'live');
}

/** One answer for one call: a name for people, and the answer, or null where it is left out. */
type Choice<Answer> = readonly [name: string, answer: Answer | null];

/** Every way to choose one answer per call. */
function combinations<Answer>(
  calls: readonly Call[],
  choices: (call: Call) => readonly Choice<Answer>[],
): (readonly [name: string, answers: readonly (readonly [string, Answer])[]])[] {
  const rows = calls.reduce<(readonly [string, Choice<Answer>])[][]>(
    (before, call) =>
      before.flatMap((row) => choices(call).map((choice) => [...row, [call.id, choice] as const])),
    [[]],
  );
  return rows.map((row) => {
    const name = row.map(([id, [word]]) => `${id}: ${word}`).join(', ');
    return [name, row.flatMap(([id, [, answer]]) => (answer === null ? [] : [[id, answer]]))];
  });
}

/** The call of the world that a call of a run is. */
function worldCall({ calls }: World, { tool, requestedInput }: Call): WorldCall | undefined {
  const input = canonicalJson(requestedInput);
  return calls.find((one) => one.tool === tool && canonicalJson(one.input) === input);
}

function hookAnswersFor(world: World, call: Call): Choice<PreToolVerdict>[] {
  const known = worldCall(world, call)?.hookAnswers;
  const answers =
    known ??
    world.preToolVerdicts.map((verdict): PreToolVerdict => {
      const reasons = verdict === 'proceed' ? [] : [{ source: 'hook', text: verdict }];
      return { verdict, reasons, context: [], input: call.input };
    });
  const named = answers.map((answer): Choice<PreToolVerdict> => {
    const isSame = canonicalJson(answer.input) === canonicalJson(call.input);
    return [
      isSame ? answer.verdict : `${answer.verdict} with ${JSON.stringify(answer.input)}`,
      answer,
    ];
  });
  return world.omissions ? [...named, ['omitted', null]] : named;
}

function factsFor(world: World, call: Call): Choice<Inspection['facts'][string]>[] {
  const variants = worldCall(world, call)?.facts ?? world.facts;
  const failure = { ok: false, error: { code: 'unavailable', message: 'not found' } } as const;
  return [
    ...variants.map(
      ({ name, facts }): Choice<Inspection['facts'][string]> => [
        name,
        { ok: true, facts: { ...HARMLESS, ...facts } as Facts },
      ],
    ),
    ...(world.crashes ? ([['unavailable', failure]] as const) : []),
    ...(world.omissions ? ([['omitted', null]] as const) : []),
  ];
}

const HARMLESS: Facts = {
  toolName: '',
  touchesPrivate: false,
  outsideAllowedArea: false,
  serviceAllowed: true,
  outputExists: false,
  identity: null,
};

function modelAnswer(at: number, { ms, tokens }: World['modelCosts'][number]): ModelAnswer {
  const usage = { inputTokens: tokens, outputTokens: 0 };
  return {
    at: at + ms,
    reply: {
      text: 'text',
      calls: [],
      finishReason: 'stop',
      model: 'world',
      requests: [{ messages: 1, characters: 1, usage, error: null, ms }],
    },
  };
}

function parsedReplies({ calls, callsPerReply }: World): (readonly [string, ParsedReply])[] {
  const batches = callsPerReply.flatMap((size) => multisets(calls, size));
  return [
    ['answer', { kind: 'answer', text: 'text', answer: 'text' }],
    ['malformed', { kind: 'malformed', text: 'text', code: 'no_label', detail: null }],
    ...batches.map(
      (batch) =>
        [
          `calls ${batch.map((one) => nameOf(one, calls)).join(' + ') || 'none'}`,
          { kind: 'calls', text: 'text', calls: batch.map(toCheckedCall) },
        ] as const,
    ),
  ];
}

/** Every combination of a size, order left out: calls of one reply are symmetric. */
function multisets<Item>(items: readonly Item[], size: number): Item[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) =>
    multisets(items.slice(index), size - 1).map((rest) => [item, ...rest]),
  );
}

/** A call's name for people: its tool, and its input where the world has several of that tool. */
function nameOf({ tool, problem, input }: WorldCall, calls: readonly WorldCall[]): string {
  const same = calls.filter((other) => other.tool === tool && other.problem === null);
  return problem?.outcome ?? (same.length > 1 ? `${tool} ${JSON.stringify(input)}` : tool);
}

function toCheckedCall({ tool, providerId, input, problem }: WorldCall): CheckedCall {
  return { tool, providerId, input, problem };
}

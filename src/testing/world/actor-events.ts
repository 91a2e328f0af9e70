import type {
  Call,
  CheckedCall,
  Inspection,
  ModelAnswer,
  ParsedReply,
  PreToolVerdict,
  ToolOutput,
} from '../../../machines/agent/agent.types.ts';
import type { Facts } from '../../../machines/permission/evaluate.ts';
import { canonicalJson } from '../../../machines/vocabulary/json.ts';
import { type Choice, combinations, multisets } from './combinations.ts';
import { HARMLESS } from './shipped-worlds.ts';
import type { AgentSnapshot, World, WorldCall, WorldEvent } from './world.types.ts';

/** Every answer that a live actor may give. */
export function actorEvents(
  world: World,
  snapshot: AgentSnapshot,
  { id, src }: { readonly id: string; readonly src: string },
): WorldEvent[] {
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
          done(
            `reply (${cost.ms} ms, ${cost.tokens} tokens)`,
            modelAnswer(snapshot.context.clock.at, cost),
          ),
        ),
        ...(world.crashes ? [failed('unavailable', { retryable: true }), failed('auth')] : []),
      ];
    case 'parseReply':
      return [...parsedReplies(world).map(([name, parsed]) => done(name, parsed)), ...crashes];
    case 'preToolUse':
      return [
        ...combinations(liveCalls(snapshot), (one) => hookAnswersFor(world, one)).map(
          ([name, chosen]) => done(name, Object.fromEntries(chosen)),
        ),
        ...crashes,
      ];
    case 'inspectFacts':
      return [
        ...combinations(liveCalls(snapshot), (one) => factsFor(world, one)).map(([name, chosen]) =>
          done(name, {
            at: snapshot.context.clock.at,
            facts: Object.fromEntries(chosen),
          } satisfies Inspection),
        ),
        ...crashes,
      ];
    case 'approvalDeadline':
      return [done('passed', { at: snapshot.context.clock.at }), ...crashes];
    case 'tool':
      return world.toolOutcomes.map((outcome) =>
        outcome === 'crash'
          ? failed('crash')
          : done(outcome, toolOutput(outcome, snapshot.context.clock.at)),
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

/** A start that does not come about waits a moment first: brief approvals end in it. */
function toolOutput(outcome: ToolOutput['outcome'], at: number): ToolOutput {
  if (outcome === 'not_started') return { outcome, content: '', ms: 0, at: at + 1 };
  return { outcome, content: outcome, ms: 1, at };
}

function liveCalls({ context }: AgentSnapshot): readonly Call[] {
  return context.calls.filter(({ stage }) => stage === 'live');
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
    ...variants.map((variant): Choice<Inspection['facts'][string]> => {
      if ('error' in variant) return [variant.name, { ok: false, error: variant.error }];
      return [variant.name, { ok: true, facts: { ...HARMLESS, ...variant.facts } as Facts }];
    }),
    ...(world.crashes ? ([['unavailable', failure]] as const) : []),
    ...(world.omissions ? ([['omitted', null]] as const) : []),
  ];
}

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

/** A call's name for people: its tool, and its input where the world has several of that tool. */
function nameOf({ tool, problem, input }: WorldCall, calls: readonly WorldCall[]): string {
  const same = calls.filter((other) => other.tool === tool && other.problem === null);
  return problem?.outcome ?? (same.length > 1 ? `${tool} ${JSON.stringify(input)}` : tool);
}

function toCheckedCall({ tool, providerId, input, problem }: WorldCall): CheckedCall {
  return { tool, providerId, input, problem };
}

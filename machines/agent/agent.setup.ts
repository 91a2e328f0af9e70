import { assign, enqueueActions, setup, stopChild } from 'xstate';
import { toErrorData } from '../vocabulary/errors.ts';
import * as guards from './agent.guards.ts';
import { type PortOutputs, ports } from './agent.ports.ts';
import { toolStarts } from './agent.starts.ts';
import type {
  AgentContext,
  AgentEvent,
  AgentInput,
  AgentOutput,
  Grant,
  Limits,
  ParsedReply,
  ToolEvent,
  ToolOutput,
} from './agent.types.ts';
import * as updates from './agent.updates.ts';

type GivenGrant = Grant & { readonly callId: string };
type ToolCrash = Extract<ToolEvent, { error: unknown }>;

/** Id of the actor that runs a call. */
const toolId = (callId: string) => `tool.${callId}`;

const callIdOf = (actorId: string) => actorId.replace(/^tool\./u, '');

/** The action that makes an update of the context: of what it is, and of what the chart hands over. */
const update = <Params = undefined>(
  change: (context: AgentContext, params: Params) => Partial<AgentContext>,
) =>
  assign<AgentContext, AgentEvent, Params, AgentEvent, never>(({ context }, params) =>
    change(context, params),
  );

/** The vocabulary of the chart: every guard, action and actor it names, one entry each. */
export const agentSetup = setup({
  types: {
    context: {} as AgentContext,
    events: {} as AgentEvent,
    input: {} as AgentInput,
    output: {} as AgentOutput,
    tags: {} as 'waiting' | 'resting',
  },
  actors: ports,
  guards: {
    needsPromptHook: ({ context }) => guards.needsHook(context, 'UserPromptSubmit'),
    isPromptAccepted: (_, answer: PortOutputs['userPromptSubmit']) =>
      guards.isPromptAccepted(answer),
    hasReachedLimit: ({ context }) => guards.reachedLimit(context) !== null,
    isRetryable: (_, thrown: unknown) => guards.isRetryable(thrown),
    isAnswer: (_, parsed: ParsedReply) => parsed.kind === 'answer',
    isCallBatch: ({ context }, parsed: ParsedReply) => guards.isCallBatch(context, parsed),
    hasRepairsLeft: ({ context }) => guards.hasRepairsLeft(context),
    needsPreToolHook: ({ context }) => guards.needsPreToolHook(context),
    hasLiveCalls: ({ context }) => guards.hasLiveCalls(context),
    hasUninspectedCalls: ({ context }) => guards.someLive(context, guards.isUninspected),
    hasStuckCalls: ({ context }) =>
      guards.someLive(context, (call) => guards.isStuck(call, context.limits)),
    hasExpiredCalls: ({ context }) =>
      guards.someLive(context, (call) => guards.isApprovalOver(call, context.clock.at)),
    hasForbiddenCalls: ({ context }) => guards.forbiddenCalls(context).length > 0,
    hasQuestions: ({ context }) => guards.questionCalls(context).length > 0,
    hasAllowedCalls: ({ context }) => guards.allowedCalls(context).length > 0,
    isLastGrant: ({ context }, grant: GivenGrant | null) =>
      guards.isValidGrant(context, grant) && guards.isLastQuestion(context, grant.callId),
    isValidGrant: ({ context }, grant: GivenGrant | null) => guards.isValidGrant(context, grant),
    isLastDenial: ({ context }, { callId }: { callId: string }) =>
      guards.isAsked(context, callId) && guards.isLastQuestion(context, callId),
    isValidDenial: ({ context }, { callId }: { callId: string }) => guards.isAsked(context, callId),
    hasNothingRunning: ({ context }) => !guards.hasRunningCalls(context),
    needsNewDecision: ({ context }) =>
      !guards.hasRunningCalls(context) && guards.hasLiveCalls(context),
    hasCallsThatRan: ({ context }) => guards.hasCallsThatRan(context),
    needsPostToolHook: ({ context }) => guards.needsPostToolHook(context),
    needsStopHook: ({ context }) => guards.needsHook(context, 'Stop'),
    isStopAllowed: (_, { verdict }: PortOutputs['stop']) => verdict === 'allow',
    isStopBlocked: (_, { verdict }: PortOutputs['stop']) => verdict === 'block',
    mayBlockStop: ({ context }, { verdict }: PortOutputs['stop']) =>
      verdict === 'block' && guards.hasStopBlocksLeft(context),
    isSuspendedByHook: ({ context }) => guards.isSuspendedBy(context, 'hook_failed'),
    canResume: ({ context }, { limits }: { limits: Partial<Limits> }) =>
      guards.canResume(context, limits),
  },
  actions: {
    addPromptContext: update(updates.addPromptContext),
    refusePrompt: update(updates.refusePrompt),
    beginTurn: update(updates.beginTurn),
    recordReply: update(updates.recordReply),
    acceptAnswer: assign(({ context }, parsed: ParsedReply) =>
      parsed.kind === 'answer' ? updates.acceptAnswer(context, parsed) : {},
    ),
    acceptCalls: assign(({ context }, parsed: ParsedReply) =>
      parsed.kind === 'calls' ? updates.acceptCalls(context, parsed) : {},
    ),
    acceptMalformed: update(updates.acceptMalformed),
    applyPreToolVerdicts: update(updates.applyPreToolVerdicts),
    blockLiveCalls: update(updates.blockLiveCalls),
    recordFacts: update(updates.recordFacts),
    recordInspectionFault: update(updates.recordInspectionFault),
    closeUninspectedCalls: update(updates.closeUninspectedCalls),
    closeStuckCalls: update(updates.closeStuckCalls),
    closeExpiredCalls: update(updates.closeExpiredCalls),
    closeForbiddenCalls: update(updates.closeForbiddenCalls),
    askQuestions: update(updates.askQuestions),
    addGrant: assign(({ context }, grant: GivenGrant | null) =>
      grant === null ? {} : updates.addGrant(context, grant),
    ),
    denyCall: update(updates.denyCall),
    expireQuestions: update(updates.expireQuestions),
    startCalls: enqueueActions(({ context, enqueue }) => {
      for (const input of toolStarts(context))
        enqueue.spawnChild('tool', { id: toolId(input.callId), input });
      enqueue.assign(updates.startCalls(context));
    }),
    recordResult: assign(({ context }, result: { actorId: string; output: ToolOutput }) =>
      updates.recordResult(context, { callId: callIdOf(result.actorId), output: result.output }),
    ),
    recordCrash: assign(({ context }, crash: ToolCrash) =>
      updates.recordCrash(context, { callId: callIdOf(crash.actorId), thrown: crash.error }),
    ),
    stopTool: stopChild((_, { actorId }: { actorId: string }) => actorId),
    stopTools: enqueueActions(({ context, enqueue }) => {
      for (const call of context.calls)
        if (call.stage === 'running') enqueue.stopChild(toolId(call.id));
    }),
    applyPostToolVerdicts: update(updates.applyPostToolVerdicts),
    recordPostToolFault: update(updates.recordPostToolFault),
    writeObservations: update(updates.writeObservations),
    blockStop: update(updates.blockStop),
    suspendAtLimit: update(updates.suspendAtLimit),
    suspendAtRepairs: assign(({ context }) => updates.suspend(context, 'limit.repairs')),
    suspendAtStopBlocks: assign(({ context }) => updates.suspend(context, 'limit.stop_blocks')),
    suspendWithoutModel: update(updates.suspendWithoutModel),
    suspendFailedHook: assign(({ context }, thrown: unknown) =>
      updates.suspend(context, 'hook_failed', toErrorData(thrown, 'hook_failed')),
    ),
    suspendWithoutVerdict: update(updates.suspendWithoutVerdict),
    raiseLimits: update(updates.raiseLimits),
    cancelRun: assign(({ context, event }) => updates.cancelRun(context, event)),
    failHook: assign((_, thrown: unknown) => updates.fail(thrown, 'hook_failed')),
    failModel: update(updates.failModel),
    failParse: assign((_, thrown: unknown) => updates.fail(thrown, 'parse_failed')),
    finish: update(updates.finish),
  },
});

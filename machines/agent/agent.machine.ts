import type { SnapshotFrom } from 'xstate';
import * as from from './agent.inputs.ts';
import { agentSetup } from './agent.setup.ts';
import { createContext, outputOf } from './agent.updates.ts';

/** Changes whenever a log written by an older chart would fold differently. */
export const AGENT_MACHINE_VERSION = '2';

/**
 * One agent run: a person's task goes in, the model answers or calls tools, every call passes its
 * hooks and the permission evaluator before it starts, and the run always comes to rest.
 */
export const agentMachine = agentSetup.createMachine({
  id: 'agent',
  version: AGENT_MACHINE_VERSION,
  context: ({ input }) => createContext(input),
  initial: 'submitPrompt',
  on: { 'run.cancel': { target: '.cancelled', actions: 'cancelRun' } },
  states: {
    submitPrompt: {
      description: 'UserPromptSubmit hooks may add context beside the prompt, or refuse it.',
      initial: 'checking',
      states: {
        checking: {
          always: [{ guard: 'needsPromptHook', target: 'working' }, { target: '#agent.callModel' }],
        },
        working: {
          invoke: {
            id: 'userPromptSubmit',
            src: 'userPromptSubmit',
            input: from.conversation,
            onDone: [
              {
                guard: { type: 'isPromptAccepted', params: from.promptVerdict },
                target: '#agent.callModel',
                actions: { type: 'addPromptContext', params: from.promptVerdict },
              },
              {
                target: '#agent.failed',
                actions: { type: 'refusePrompt', params: from.promptVerdict },
              },
            ],
            onError: { target: '#agent.failed', actions: { type: 'failHook', params: from.error } },
          },
        },
      },
    },

    callModel: {
      description: 'The model is asked, unless a limit is reached.',
      initial: 'checking',
      states: {
        checking: {
          always: [
            { guard: 'hasReachedLimit', target: '#agent.suspended', actions: 'suspendAtLimit' },
            { target: 'working' },
          ],
        },
        working: {
          entry: 'beginTurn',
          invoke: {
            id: 'callModel',
            src: 'callModel',
            input: from.conversation,
            onDone: {
              target: '#agent.parseReply',
              actions: { type: 'recordReply', params: from.modelAnswer },
            },
            onError: [
              {
                guard: { type: 'isRetryable', params: from.error },
                target: '#agent.suspended',
                actions: { type: 'suspendWithoutModel', params: from.error },
              },
              { target: '#agent.failed', actions: { type: 'failModel', params: from.error } },
            ],
          },
        },
      },
    },

    parseReply: {
      description: 'The protocol reads the reply: an answer, tool calls, or neither.',
      invoke: {
        id: 'parseReply',
        src: 'parseReply',
        input: from.unparsedReply,
        onDone: [
          {
            guard: { type: 'isAnswer', params: from.parsedReply },
            target: 'stopHook',
            actions: { type: 'acceptAnswer', params: from.parsedReply },
          },
          {
            guard: { type: 'isCallBatch', params: from.parsedReply },
            target: 'preToolHook',
            actions: { type: 'acceptCalls', params: from.parsedReply },
          },
          {
            guard: 'hasRepairsLeft',
            target: 'callModel',
            actions: { type: 'acceptMalformed', params: from.parsedReply },
          },
          {
            target: 'suspended',
            actions: [{ type: 'acceptMalformed', params: from.parsedReply }, 'suspendAtRepairs'],
          },
        ],
        onError: { target: 'failed', actions: { type: 'failParse', params: from.error } },
      },
    },

    preToolHook: {
      description: 'PreToolUse hooks may block a call, ask for a person, or replace its input.',
      initial: 'checking',
      states: {
        checking: {
          always: [{ guard: 'needsPreToolHook', target: 'working' }, { target: 'routing' }],
        },
        working: {
          invoke: {
            id: 'preToolUse',
            src: 'preToolUse',
            input: from.callsBeforeHooks,
            onDone: {
              target: 'routing',
              actions: { type: 'applyPreToolVerdicts', params: from.preToolVerdicts },
            },
            onError: {
              target: 'routing',
              actions: { type: 'blockLiveCalls', params: from.error },
            },
          },
        },
        routing: {
          always: [
            { guard: 'hasLiveCalls', target: '#agent.awaitPermission' },
            { target: '#agent.callModel', actions: 'writeObservations' },
          ],
        },
      },
    },

    awaitPermission: {
      description: 'What the calls would touch is looked up; the evaluator and a person decide.',
      initial: 'inspecting',
      states: {
        inspecting: {
          invoke: {
            id: 'inspectFacts',
            src: 'inspectFacts',
            input: from.callsToInspect,
            onDone: {
              target: 'deciding',
              actions: { type: 'recordFacts', params: from.inspection },
            },
            onError: {
              target: 'deciding',
              actions: { type: 'recordInspectionFault', params: from.error },
            },
          },
        },
        deciding: {
          description: 'Settles what nobody can allow; then a person is asked, or calls start.',
          always: [
            { guard: 'hasUninspectedCalls', actions: 'closeUninspectedCalls' },
            { guard: 'hasStuckCalls', actions: 'closeStuckCalls' },
            { guard: 'hasExpiredCalls', actions: 'closeExpiredCalls' },
            { guard: 'hasForbiddenCalls', actions: 'closeForbiddenCalls' },
            { guard: 'hasQuestions', target: 'asking' },
            { guard: 'hasAllowedCalls', target: '#agent.execute' },
            { guard: 'hasCallsThatRan', target: '#agent.postToolHook' },
            { target: '#agent.callModel', actions: 'writeObservations' },
          ],
        },
        asking: {
          tags: 'waiting',
          entry: 'askQuestions',
          invoke: {
            id: 'approvalDeadline',
            src: 'approvalDeadline',
            input: from.deadline,
            onDone: {
              target: 'reviewing',
              actions: { type: 'expireQuestions', params: from.deadlinePassed },
            },
            onError: {
              target: 'reviewing',
              actions: { type: 'expireQuestions', params: from.now },
            },
          },
          on: {
            'permission.grant': [
              {
                guard: { type: 'isLastGrant', params: from.grant },
                target: 'reviewing',
                actions: { type: 'addGrant', params: from.grant },
              },
              {
                guard: { type: 'isValidGrant', params: from.grant },
                actions: { type: 'addGrant', params: from.grant },
              },
            ],
            'permission.deny': [
              {
                guard: { type: 'isLastDenial', params: from.denial },
                target: 'reviewing',
                actions: { type: 'denyCall', params: from.denial },
              },
              {
                guard: { type: 'isValidDenial', params: from.denial },
                actions: { type: 'denyCall', params: from.denial },
              },
            ],
          },
        },
        reviewing: {
          always: [
            { guard: 'hasLiveCalls', target: 'inspecting' },
            { guard: 'hasCallsThatRan', target: '#agent.postToolHook' },
            { target: '#agent.callModel', actions: 'writeObservations' },
          ],
        },
      },
    },

    execute: {
      description: 'Each allowed call runs as an actor of its own; a failure is a result.',
      entry: 'startCalls',
      on: {
        'xstate.done.actor.tool.*': {
          actions: [
            { type: 'recordResult', params: from.toolDone },
            { type: 'stopTool', params: from.event },
          ],
        },
        'xstate.error.actor.tool.*': {
          actions: [
            { type: 'recordCrash', params: from.event },
            { type: 'stopTool', params: from.event },
          ],
        },
      },
      always: [
        { guard: 'needsNewDecision', target: 'awaitPermission' },
        { guard: 'hasNothingRunning', target: 'postToolHook' },
      ],
      exit: 'stopTools',
    },

    postToolHook: {
      description: 'PostToolUse hooks may add context or replace what the model sees.',
      initial: 'checking',
      states: {
        checking: {
          always: [
            { guard: 'needsPostToolHook', target: 'working' },
            { target: '#agent.callModel', actions: 'writeObservations' },
          ],
        },
        working: {
          invoke: {
            id: 'postToolUse',
            src: 'postToolUse',
            input: from.callsThatRan,
            onDone: {
              target: '#agent.callModel',
              actions: [
                { type: 'applyPostToolVerdicts', params: from.postToolVerdicts },
                'writeObservations',
              ],
            },
            onError: {
              target: '#agent.callModel',
              actions: [{ type: 'recordPostToolFault', params: from.error }, 'writeObservations'],
            },
          },
        },
      },
    },

    stopHook: {
      description: 'Stop hooks may keep the run going, with a reason for the model.',
      initial: 'checking',
      states: {
        checking: {
          always: [{ guard: 'needsStopHook', target: 'working' }, { target: '#agent.done' }],
        },
        working: {
          invoke: {
            id: 'stop',
            src: 'stop',
            input: from.answer,
            onDone: [
              { guard: { type: 'isStopAllowed', params: from.stopVerdict }, target: '#agent.done' },
              {
                guard: { type: 'mayBlockStop', params: from.stopVerdict },
                target: '#agent.callModel',
                actions: { type: 'blockStop', params: from.stopVerdict },
              },
              {
                guard: { type: 'isStopBlocked', params: from.stopVerdict },
                target: '#agent.suspended',
                actions: [{ type: 'blockStop', params: from.stopVerdict }, 'suspendAtStopBlocks'],
              },
              {
                target: '#agent.suspended',
                actions: { type: 'suspendWithoutVerdict', params: from.stopVerdict },
              },
            ],
            onError: {
              target: '#agent.suspended',
              actions: { type: 'suspendFailedHook', params: from.error },
            },
          },
        },
      },
    },

    suspended: {
      description: 'The run rests with a typed reason until a person resumes it.',
      tags: 'resting',
      on: {
        'run.resume': [
          {
            guard: 'isSuspendedByHook',
            target: 'stopHook',
            actions: { type: 'raiseLimits', params: from.resumption },
          },
          {
            guard: { type: 'canResume', params: from.resumption },
            target: 'callModel',
            actions: { type: 'raiseLimits', params: from.resumption },
          },
        ],
      },
    },

    done: {
      description: 'The model answered and no Stop hook objected.',
      type: 'final',
      entry: 'finish',
    },
    failed: { description: 'Something failed that no answer can come after.', type: 'final' },
    cancelled: { description: 'A person or host stopped the run.', type: 'final' },
  },
  output: ({ context }) => outputOf(context),
  options: { maxIterations: 1_000 },
});

/** A run of the machine at one moment. */
export type AgentSnapshot = SnapshotFrom<typeof agentMachine>;

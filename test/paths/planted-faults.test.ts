import { describe, expect, it } from 'vitest';
import { assign, enqueueActions } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { toolStarts } from '../../machines/agent/agent.starts.ts';
import type { AgentContext } from '../../machines/agent/agent.types.ts';
import * as updates from '../../machines/agent/agent.updates.ts';
import { checkProperties } from '../../src/testing/check-properties.ts';
import type { ExploreOptions } from '../../src/testing/explore.ts';
import { INVARIANTS } from '../../src/testing/invariants/index.ts';
import {
  LIMITS_WORLD,
  NO_HOOKS_WORLD,
  ONE_CALL_WORLD,
  TWO_CALL_NO_HOOKS_WORLD,
} from '../../src/testing/world/shipped-worlds.ts';
import type { World } from '../../src/testing/world/world.types.ts';

type Machine = NonNullable<ExploreOptions['machine']>;
type Given = { context: AgentContext };
type ToolDone = { actorId: string; output: unknown };

/** Starts every live call, allowed or not. */
const startEverything = enqueueActions(({ context, enqueue }) => {
  const { calls } = context as AgentContext;
  for (const { id } of calls)
    enqueue.spawnChild('tool' as never, { id: `tool.${id}`, input: {} } as never);
  enqueue.assign({
    calls: calls.map((call) => ({ ...call, stage: 'running', starts: 1 })),
  } as never);
});

/** Explores a machine with a fault and gives the shortest way to each violated invariant. */
function violations(machine: Machine, world: World = ONE_CALL_WORLD): Record<string, string[]> {
  const { results } = checkProperties(world, INVARIANTS, { machine });
  return Object.fromEntries(
    results.flatMap(({ id, counterexample }) =>
      counterexample === null ? [] : [[id, counterexample.path.map(({ label }) => label)]],
    ),
  );
}

const faulty = (implementations: object): Machine => agentMachine.provide(implementations as never);

describe('a planted fault is found, the shortest way', () => {
  it('the machine as shipped has none', () => {
    expect(violations(agentMachine)).toEqual({});
  });

  it('a hook that fails counts as proceed', () => {
    const machine = faulty({ actions: { blockLiveCalls: assign({}) } });
    expect(violations(machine)['pre-hook']).toEqual([
      'userPromptSubmit → proceed',
      'callModel → reply (1 ms, 1 tokens)',
      'parseReply → calls image_scaling',
      'preToolUse ✗ crash',
    ]);
  });

  it('facts are not looked at again after an answer', () => {
    const machine = faulty({
      actions: {
        addGrant: assign(({ context }: Given, grant: never) => {
          const { calls } = { ...context, ...updates.addGrant(context, grant) };
          return { calls: calls.map((call) => ({ ...call, facts: call.facts })) };
        }),
        recordFacts: assign(({ context }: Given, inspection: never) => {
          const known = context.calls.filter(({ facts }) => facts !== null).map(({ id }) => id);
          const update = updates.recordFacts(context, inspection);
          const calls = (update.calls ?? []).map((call) => {
            const old = context.calls.find(({ id }) => id === call.id);
            return old && known.includes(call.id) ? { ...old, stage: 'live' as const } : call;
          });
          return { ...update, calls };
        }),
      },
    });
    expect(violations(machine).gate?.at(-1)).toMatch(/^inspectFacts → 1\.0: (?!clean)/u);
  });

  it('an approval that has expired is taken', () => {
    const machine = faulty({
      actions: {
        addGrant: assign(({ context }: Given, grant: never) =>
          updates.addGrant(context, { ...(grant as object), expiresAt: null } as never),
        ),
      },
    });
    expect(violations(machine).grants?.at(-1)).toBe('person grants 1.0 (expired)');
    const lenient = faulty({ guards: { hasExpiredCalls: () => false } });
    expect(violations(lenient).gate).toContain('person grants 1.0 (expired)');
  });

  it("the evaluator's deny is ignored", () => {
    const machine = faulty({ guards: { hasForbiddenCalls: () => false } });
    expect(violations(machine).observations?.at(-1)).toBe('inspectFacts → 1.0: private');
    const started = faulty({
      guards: { hasForbiddenCalls: () => false, hasAllowedCalls: () => true },
      actions: { startCalls: startEverything },
    });
    expect(violations(started).gate?.at(-1)).toBe('inspectFacts → 1.0: private');
  });

  it('what ran is not looked at because a call beside it was closed', () => {
    const machine = faulty({ guards: { hasCallsThatRan: () => false } });
    const world = { ...TWO_CALL_NO_HOOKS_WORLD, hooks: ['PostToolUse' as const] };
    expect(violations(agentMachine, world)).toEqual({});
    expect(violations(machine, world)['hooks-run']?.at(-1)).toBe('inspectFacts → 1.1: unavailable');
  });

  it('a start that did not come about uses up its approval, or its attempt', () => {
    const change = (changes: object) =>
      faulty({
        actions: {
          recordResult: assign(({ context }: Given, { actorId, output }: ToolDone) => {
            const result = { callId: actorId.replace('tool.', ''), output };
            const { calls = [], ...rest } = updates.recordResult(context, result as never);
            return { ...rest, calls: calls.map((call) => ({ ...call, ...changes })) };
          }),
        },
      });
    for (const changes of [{ grants: [] }, { starts: 1 }])
      expect(violations(change(changes))['not-started']?.at(-1)).toBe('tool.1.0 → not_started');
  });

  it('a start that did not come about is tried again without a new look', () => {
    const machine = faulty({
      guards: { needsNewDecision: () => false, hasNothingRunning: () => false },
      actions: {
        recordResult: assign(({ context }: Given, { actorId, output }: ToolDone) =>
          (output as { outcome: string }).outcome === 'not_started'
            ? {}
            : updates.recordResult(context, {
                callId: actorId.replace('tool.', ''),
                output: output as never,
              }),
        ),
        stopTool: assign({}),
      },
    });
    expect(violations(machine)['not-started']?.at(-1)).toBe('tool.1.0 → not_started');
  });

  it('facts that never stay the same are asked about for ever', () => {
    const machine = faulty({
      actions: {
        recordFacts: assign(({ context }: Given, inspection: never) => {
          const { calls = [], ...rest } = updates.recordFacts(context, inspection);
          return { ...rest, calls: calls.map((call) => ({ ...call, setbacks: 0 })) };
        }),
      },
    });
    expect(violations(machine).setbacks?.at(-1)).toMatch(/^inspectFacts → 1\.0/u);
  });

  it('a tool is told of no end of its approval', () => {
    const machine = faulty({
      actions: {
        startCalls: enqueueActions(({ context, enqueue }) => {
          for (const input of toolStarts(context as AgentContext))
            enqueue.spawnChild(
              'tool' as never,
              { id: `tool.${input.callId}`, input: { ...input, approvedUntil: null } } as never,
            );
          enqueue.assign(updates.startCalls(context as AgentContext) as never);
        }),
      },
    });
    expect(violations(machine).input).toContain('person grants 1.0 (brief)');
  });

  it('a start that left no result leaves its approval', () => {
    const machine = faulty({
      actions: {
        recordResult: assign(({ context }: Given, { actorId, output }: ToolDone) => {
          const result = { callId: actorId.replace('tool.', ''), output };
          const { calls = [], ...rest } = updates.recordResult(context, result as never);
          const grantsOf = (id: string) => context.calls.find((call) => call.id === id)?.grants;
          return {
            ...rest,
            calls: calls.map((call) => ({ ...call, grants: grantsOf(call.id) ?? [] })),
          };
        }),
      },
    });
    expect(violations(machine).spent?.at(-1)).toBe('tool.1.0 → unknown');
  });

  it('a person is not needed: the asking state lets everything through', () => {
    const machine = faulty({ guards: { hasQuestions: () => false } });
    const found = violations(machine);
    expect(found.observations?.at(-1)).toMatch(/^inspectFacts/u);
  });

  it('a cancel leaves a call open', () => {
    const machine = faulty({
      actions: { cancelRun: assign({ rest: { status: 'cancelled' } as const }) },
    });
    expect(Object.keys(violations(machine)).sort()).toEqual(['actors', 'cancel', 'observations']);
  });

  it('an observation is missing', () => {
    const machine = faulty({ actions: { writeObservations: assign({ calls: [] }) } });
    expect(violations(machine).observations?.at(-1)).toBe('parseReply → calls unknown_tool');
  });

  it('a stop block has no counter', () => {
    const machine = faulty({
      actions: {
        blockStop: assign(({ context }: Given, answer: never) => ({
          messages: updates.blockStop(context, answer).messages ?? [],
        })),
      },
    });
    expect(violations(machine, LIMITS_WORLD).progress?.at(-1)).toBe('stop → block');
  });

  it('a counter goes back', () => {
    const machine = faulty({
      actions: {
        raiseLimits: assign(({ context }: Given, event: never) => ({
          ...updates.raiseLimits(context, event),
          counters: { turns: 0, toolCalls: 0, repairs: 0, stopBlocks: 0 },
        })),
      },
    });
    expect(violations(machine, LIMITS_WORLD).counters?.at(-1)).toBe('person resumes');
  });

  it("a hook's proceed overrides a deny", () => {
    const machine = faulty({
      guards: { hasQuestions: () => false, hasAllowedCalls: () => true },
      actions: {
        recordFacts: assign(({ context }: Given, inspection: never) => {
          const { calls = [], ...rest } = updates.recordFacts(context, inspection);
          // Denied, and taken up again because its hook let it proceed.
          return {
            ...rest,
            calls: calls.map((call) => ({ ...call, stage: 'live' as const, result: null })),
          };
        }),
        startCalls: startEverything,
      },
    });
    const { gate } = violations(machine);
    expect(gate?.at(-1)).toMatch(/^inspectFacts/u);
    expect(gate).toHaveLength(5);
  });

  it('a denied sibling drops an approved call', () => {
    const machine = faulty({
      actions: {
        denyCall: assign(({ context }: Given, denial: never) =>
          context.calls.reduce(
            (sum, { id }) => ({
              ...sum,
              ...updates.denyCall({ ...context, ...sum }, {
                ...(denial as object),
                callId: id,
              } as never),
            }),
            {} as Partial<AgentContext>,
          ),
        ),
      },
    });
    expect(violations(machine, TWO_CALL_NO_HOOKS_WORLD).siblings?.at(-1)).toBe('person denies 1.0');
  });

  it('an unknown outcome is run again without a word', () => {
    const machine = faulty({
      actions: {
        recordResult: assign(({ context }: Given, { actorId, output }: ToolDone) => {
          const result = { callId: actorId.replace('tool.', ''), output };
          const { calls = [], ...rest } = updates.recordResult(context, result as never);
          return { ...rest, calls: calls.map((call) => ({ ...call, outcomeUnknown: false })) };
        }),
      },
    });
    const { repeat } = violations(machine);
    expect(repeat?.slice(-2)[0]).toBe('tool.1.0 → unknown');
    expect(repeat?.at(-1)).toMatch(/^inspectFacts/u);
  });

  it('a settled child would be started again by a fold', () => {
    const machine = faulty({ actions: { stopTool: assign({}) } });
    expect(violations(machine).actors?.at(-1)).toMatch(/^tool\.1\.0 →/u);
  });

  it('a state that is passed by still starts its actor', () => {
    const machine = faulty({ guards: { needsPreToolHook: () => true } });
    expect(violations(machine, NO_HOOKS_WORLD).actors).toEqual([
      'callModel → reply (1 ms, 1 tokens)',
      'parseReply → calls image_scaling',
    ]);
  });
});

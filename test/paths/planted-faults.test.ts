import { describe, expect, it } from 'vitest';
import { assign, enqueueActions } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
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
    // The grant the person gave and the one on record differ: the oracle reads the record, so
    // what shows is that the record's grant is not the person's.
    expect(violations(machine)).toEqual({});
    const lenient = faulty({
      actions: {
        recordFacts: assign(({ context }: Given, inspection: never) =>
          updates.recordFacts(context, { ...(inspection as object), at: -1 } as never),
        ),
      },
    });
    expect(violations(lenient).gate).toContain('person grants 1.0 (expired)');
  });

  it('a grant is not cleared when its call starts', () => {
    const machine = faulty({
      actions: {
        startCalls: enqueueActions(({ context, enqueue }) => {
          const update = updates.startCalls(context as AgentContext);
          for (const call of update.calls ?? [])
            if (call.stage === 'running')
              enqueue.spawnChild('tool' as never, { id: `tool.${call.id}`, input: {} } as never);
          enqueue.assign({
            calls: (update.calls ?? []).map((call, index) => ({
              ...call,
              starts: 0,
              grants: (context as AgentContext).calls[index]?.grants ?? [],
            })),
          } as never);
        }),
      },
    });
    // Started calls keep a grant for what they were; `starts` at 0 makes it fit once more.
    expect(Object.keys(violations(machine))).toContain('denied');
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

import { type AnyStateMachine, assign, createMachine } from 'xstate';
import { toGraph } from '../../machines/agent/agent.graph.ts';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { checkProperties } from '../../src/testing/check-properties.ts';
import { findCycles } from '../../src/testing/cycles.ts';
import { fingerprintOf } from '../../src/testing/fingerprint.ts';
import { COMES_TO_REST, INVARIANTS } from '../../src/testing/invariants/index.ts';
import {
  LIMITS_WORLD,
  NO_HOOKS_WORLD,
  ONE_CALL_WORLD,
  TWO_CALL_NO_HOOKS_WORLD,
} from '../../src/testing/world/shipped-worlds.ts';
import type { World } from '../../src/testing/world/world.types.ts';

/*
 * Mutates each guard (negated, always true, always false), each action (removed) and each target
 * (redirected) of the chart, one at a time, and says what kills the mutant: a property, a cycle
 * without a bound, a machine that cannot be made, or only that the control state space is no
 * longer the one that is written down (which the tests compare too).
 */

type Machine = typeof agentMachine;
type Config = Record<string, unknown>;

interface Mutant {
  readonly name: string;
  readonly make: () => Machine;
}

/** The worlds mutants are tried in, smallest first. */
const WORLDS: readonly World[] = [
  ONE_CALL_WORLD,
  NO_HOOKS_WORLD,
  TWO_CALL_NO_HOOKS_WORLD,
  // One call of a batch that ran beside one that is closed after it.
  { ...TWO_CALL_NO_HOOKS_WORLD, hooks: ['PostToolUse'] },
  LIMITS_WORLD,
];
const PROPERTIES = [...INVARIANTS, COMES_TO_REST];
const MAX_STATES = 4_000;

/** Survivors that are no fault, and why. */
const EXPLAINED: Readonly<Record<string, string>> = {
  'guard hasCallsThatRan: always':
    'equivalent: postToolHook is passed by where nothing ran, with the action of the other way',
  'guard hasAllowedCalls: always':
    'equivalent: execute with nothing to start is left at once for postToolHook, where the unguarded default leads too',
};

const { guards, actions } = agentMachine.implementations as unknown as {
  guards: Record<string, (...given: unknown[]) => boolean>;
  actions: Record<string, unknown>;
};

const guardMutants = Object.entries(guards).flatMap(([name, guard]): Mutant[] => {
  const provide = (replaced: (...given: unknown[]) => boolean) => () =>
    agentMachine.provide({ guards: { [name]: replaced } as never });
  return [
    { name: `guard ${name}: negated`, make: provide((...given) => !guard(...given)) },
    { name: `guard ${name}: always`, make: provide(() => true) },
    { name: `guard ${name}: never`, make: provide(() => false) },
  ];
});

const actionMutants = Object.keys(actions).map(
  (name): Mutant => ({
    name: `action ${name}: removed`,
    make: () => agentMachine.provide({ actions: { [name]: assign({}) } as never }),
  }),
);

/** Every place in the chart's definition that names a target. */
function targetsOf(config: Config, path: readonly (string | number)[] = []): (string | number)[][] {
  return Object.entries(config).flatMap(([key, value]) => {
    const at = [...path, Array.isArray(config) ? Number(key) : key];
    if (key === 'target' && typeof value === 'string') return [at];
    return typeof value === 'object' && value !== null ? targetsOf(value as Config, at) : [];
  });
}

const FINALS = ['#agent.done', '#agent.failed'];

/** The target that stands at a place now, in the form of the others. */
function resolved(path: readonly (string | number)[]): string {
  const target = path.reduce<unknown>((at, key) => (at as Config)[key], agentMachine.config);
  return String(target).startsWith('#') ? String(target) : `#agent.${String(target)}`;
}

function redirect(path: readonly (string | number)[], to: string): () => Machine {
  return () => {
    const config = structuredCloneConfig(agentMachine.config as unknown as Config);
    const parent = path.slice(0, -1).reduce<Config>((at, key) => at[key] as Config, config);
    parent.target = to;
    const machine: AnyStateMachine = createMachine(config as never).provide(
      agentMachine.implementations as never,
    );
    return machine as unknown as Machine;
  };
}

/** Functions stay the same; objects and lists are copied. */
function structuredCloneConfig<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(structuredCloneConfig) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, structuredCloneConfig(member)]),
  ) as Value;
}

const targetMutants = targetsOf(agentMachine.config as unknown as Config).flatMap((path) => {
  const place = path.filter((key) => key !== 'states' && key !== 'target').join('.');
  return FINALS.filter((to) => to !== resolved(path)).map(
    (to): Mutant => ({ name: `target ${place}: to ${to}`, make: redirect(path, to) }),
  );
});

const spaces = WORLDS.map((world) => fingerprintOf(world));

/** What kills a mutant, or null. */
async function killerOf({ make }: Mutant): Promise<string | null> {
  try {
    const machine = make();
    for (const world of WORLDS) {
      const { results } = checkProperties(world, PROPERTIES, { machine, maxStates: MAX_STATES });
      const broken = results.find(({ counterexample }) => counterexample !== null);
      if (broken) return `property ${broken.id}`;
    }
    const unbounded = findCycles(toGraph(machine)).find(({ bounds }) => bounds.length === 0);
    if (unbounded) return `cycle ${unbounded.states.join(' → ')}`;
    for (const [index, world] of WORLDS.entries())
      if (fingerprintOf(world, { machine, maxStates: MAX_STATES }) !== spaces[index])
        return 'space';
    return null;
  } catch (thrown) {
    return `error ${thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown)}`;
  }
}

const mutants = [...guardMutants, ...actionMutants, ...targetMutants];
const counts = { property: 0, cycle: 0, space: 0, error: 0, survived: 0, explained: 0 };
for (const mutant of mutants) {
  const killer = await killerOf(mutant);
  const kind = (killer?.split(' ')[0] ??
    (EXPLAINED[mutant.name] ? 'explained' : 'survived')) as keyof typeof counts;
  counts[kind] += 1;
  const why = killer ?? EXPLAINED[mutant.name] ?? 'SURVIVED';
  console.log(`${mutant.name}: ${why}`);
}
const killed = mutants.length - counts.survived - counts.explained;
console.log(
  `${mutants.length} mutants: ${killed} killed (${counts.property} by a property, ${counts.cycle} by an unbounded cycle, ${counts.error} by an error, ${counts.space} only by the written space), ${counts.explained} explained, ${counts.survived} survived`,
);
console.log(`score ${((100 * killed) / mutants.length).toFixed(1)} %`);
process.exitCode = counts.survived > 0 ? 1 : 0;

import { describe, expect, it } from 'vitest';
import { stateOf } from '../../machines/agent/agent.view.ts';
import { type ExploredEdge, explore, pathTo } from '../../src/testing/explore.ts';
import { INVARIANTS } from '../../src/testing/invariants.ts';
import {
  LIMITS_WORLD,
  NO_HOOKS_WORLD,
  ONE_CALL_WORLD,
  TWO_CALL_LIMITS_WORLD,
  TWO_CALL_WORLD,
  type World,
} from '../../src/testing/world.ts';

const WORLDS: Record<string, World> = {
  'one call per reply': ONE_CALL_WORLD,
  'one call per reply, every limit': LIMITS_WORLD,
  'no hooks': NO_HOOKS_WORLD,
  'two calls per reply': TWO_CALL_WORLD,
  'two calls per reply, every limit': TWO_CALL_LIMITS_WORLD,
};

/** A way back to an earlier state by other means than a person or a counter, or null. */
function findCycle(successors: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const finished = new Set<string>();
  for (const root of successors.keys()) {
    const path: { key: string; rest: string[] }[] = [
      { key: root, rest: [...(successors.get(root) ?? [])] },
    ];
    const open = new Set([root]);
    while (path.length > 0) {
      const top = path[path.length - 1] as { key: string; rest: string[] };
      const next = top.rest.pop();
      if (next === undefined) {
        finished.add(top.key);
        open.delete(top.key);
        path.pop();
      } else if (open.has(next)) return [...path.map(({ key }) => key), next];
      else if (!finished.has(next)) {
        open.add(next);
        path.push({ key: next, rest: [...(successors.get(next) ?? [])] });
      }
    }
  }
  return null;
}

const isPersons = ({ event }: ExploredEdge) => /^(permission|run)\./u.test(event.type);

describe.each(Object.entries(WORLDS))('%s', (name, world) => {
  const problems = new Map<string, string[]>();
  const successors = new Map<string, Set<string>>();
  const exploration = explore(world, {
    onEdge: (edge) => {
      const { source, event, target } = edge;
      const taken = { before: source.snapshot, event, after: edge.after };
      for (const { id, violation } of INVARIANTS) {
        const problem = problems.has(id) ? null : (violation?.(taken, null) ?? null);
        const path = () => [...pathTo(source).map(({ label }) => label), event.label];
        if (problem !== null) problems.set(id, [problem, ...path()]);
      }
      if (isPersons(edge)) return;
      successors.set(source.key, (successors.get(source.key) ?? new Set()).add(target.key));
    },
  });
  const { states, edges } = exploration;
  console.log(`${name}: ${states.size} control states, ${edges} edges`);

  it.each(INVARIANTS.map(({ id, text }) => [id, text]))('%s: %s', (id) => {
    expect(problems.get(id)).toBeUndefined();
  });

  it('always comes to rest: without people every cycle would have to refill a counter', () => {
    const loops = [...successors].filter(([key, targets]) => targets.has(key));
    expect(loops).toEqual([]);
    expect(findCycle(successors)).toBeNull();
  });

  it('has more than one way to end and reaches each of them', () => {
    const reached = new Set([...states.values()].map(({ snapshot }) => stateOf(snapshot)));
    for (const state of [
      'done',
      'failed',
      'cancelled',
      'suspended',
      'awaitPermission.asking',
      'execute',
    ])
      expect(reached).toContain(state);
  });
});

describe('the control state space', () => {
  it('is reported as too large by the part that grows', () => {
    expect(() => explore(TWO_CALL_WORLD, { maxStates: 50 })).toThrowError(
      /more than 50 states; what grows most: calls \(\d+ values\)/u,
    );
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mergeCoverage } from '../../src/testing/coverage.ts';
import { formatSteps, isBroken, verify } from '../../src/testing/index.ts';

/** What was written down when the control flow last changed on purpose. */
const written = JSON.parse(readFileSync('docs/verification.json', 'utf8')) as {
  readonly worlds: readonly {
    readonly name: string;
    readonly states: number;
    readonly edges: number;
  }[];
  readonly cycles: number;
};

const result = await verify();
for (const { name, states, edges, replayed } of result.worlds)
  console.log(`${name}: ${states} control states, ${edges} edges, ${replayed} paths replayed live`);

describe('the shipped machine', () => {
  const ids = result.worlds[0]?.results.map(({ id, text }) => [id, text] as const) ?? [];

  it.each(ids)('%s: %s', (id) => {
    const broken = result.worlds.flatMap(({ results }) =>
      results.filter((property) => property.id === id).filter(isBroken),
    );
    expect(broken.map(formatSteps)).toEqual([]);
  });

  it('checks more than twenty properties on more than 90 000 edges', () => {
    expect(ids.length).toBeGreaterThan(20);
    expect(result.worlds.reduce((sum, { edges }) => sum + edges, 0)).toBeGreaterThan(90_000);
  });

  it('ends live where it ends on paper, value and context', () => {
    const wrong = result.worlds.flatMap(({ mismatches }) => mismatches);
    expect(wrong.map(({ path }) => path.map(({ label }) => label))).toEqual([]);
  });

  it('has every edge of its one-call spaces replayed', () => {
    const oneCall = result.worlds.filter(({ name }) => name.startsWith('one call'));
    expect(oneCall.map(({ replayed }) => replayed)).toEqual(oneCall.map(({ edges }) => edges));
    expect(oneCall).toHaveLength(3);
  });

  it('has every transition and both outcomes of every guard live with two calls per reply too', () => {
    const twoCalls = result.worlds.filter(({ name }) => name.startsWith('two calls'));
    const { transitions, guards } = mergeCoverage(twoCalls.map(({ coverage }) => coverage));
    expect(twoCalls).toHaveLength(3);
    expect(transitions.filter(({ taken }) => taken === 0)).toEqual([]);
    expect(guards.filter(({ held, failed }) => held === 0 || failed === 0)).toEqual([]);
  });

  it('has every transition of the chart taken live', () => {
    const { transitions } = result.coverage;
    expect(transitions.length).toBeGreaterThan(50);
    expect(transitions.filter(({ taken }) => taken === 0)).toEqual([]);
  });

  it('has a path to show for every transition, that path taking it', () => {
    const { transitions, witnesses } = result.coverage;
    const shown = witnesses.flatMap(({ first }) => first);
    expect(shown.toSorted((a, b) => a - b)).toEqual(transitions.map((_, index) => index));
    const strays = witnesses.filter((one) => !one.first.every((i) => one.transitions.includes(i)));
    expect(strays).toEqual([]);
  });

  it('has every guard seen live to hold and not to hold', () => {
    const { guards } = result.coverage;
    expect(guards.length).toBeGreaterThan(20);
    expect(guards.filter(({ held, failed }) => held === 0 || failed === 0)).toEqual([]);
  });

  it('has no cycle without a bound', () => {
    expect(result.cycles.length).toBeGreaterThan(100);
    expect(result.cycles.filter(({ bounds }) => bounds.length === 0)).toEqual([]);
  });

  it('is the one that is written down: run npm run generate:verification after a change on purpose', () => {
    const now = result.worlds.map(({ name, states, edges, replayed, fingerprint }) => ({
      ...{ name, states, edges, replayed, fingerprint },
    }));
    expect(now).toEqual(written.worlds);
    expect(result.cycles.length).toBe(written.cycles);
  });
});

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { LOOPS, verify } from '../src/testing/index.ts';
import { filled } from './filled.ts';
import { table } from './table.ts';

/**
 * Verifies the shipped machine and writes what came out: `docs/verification.json`, which the tests
 * hold the machine to and the inspector draws, the tables of `docs/verification.md`, and what the
 * example of `docs/testing.md` prints.
 * `npm run generate:verification`; it takes a minute or two.
 */
const result = await verify();
if (!result.holds) throw new Error('A property is broken: run "agenthub verify" to see which.');

const worlds = result.worlds.map(({ name, states, edges, replayed, fingerprint }) => ({
  ...{ name, states, edges, replayed, fingerprint },
}));
const { coverage, cycles } = result;
writeFileSync(
  'docs/verification.json',
  `${JSON.stringify({ worlds, coverage, cycles: cycles.length }, null, 2)}\n`,
);

const worldTable = table(
  ['world', 'control states', 'edges', 'edges replayed live', 'mismatches'],
  worlds.map(({ name, states, edges, replayed }) => [name, states, edges, replayed, 0]),
);
const propertyTable = table(
  ['property', 'what holds'],
  (result.worlds[0]?.results ?? []).map(({ id, text }) => [`\`${id}\``, text]),
);
const bounds = new Map(cycles.flatMap((cycle) => cycle.bounds).map((bound) => [bound.by, bound]));
const cycleTable = table(
  ['transition', 'what it uses up', 'cycles it bounds'],
  [
    ...[...bounds.values()].map((bound) => [
      `\`${bound.source}\` → \`${bound.target}\``,
      bound.by,
      cycles.filter((cycle) => cycle.bounds.includes(bound)).length,
    ]),
    ...Object.entries(LOOPS).map(([state, by]) => [`\`${state}\`, staying`, by, 'itself']),
  ],
);
const taken = coverage.transitions.filter((transition) => transition.taken > 0).length;
const both = coverage.guards.filter(({ held, failed }) => held > 0 && failed > 0).length;
const summary = [
  `${coverage.paths} paths were replayed on live actors, ${coverage.microsteps} microsteps, without a mismatch.`,
  `They took ${taken} of the chart's ${coverage.transitions.length} transitions, and saw ${both} of ${coverage.guards.length} guards both hold and not hold.`,
  `The chart has ${cycles.length} elementary cycles; ${cycles.filter((cycle) => cycle.bounds.length > 0).length} are bounded.`,
].join('\n');

const tables = {
  worlds: worldTable,
  properties: propertyTable,
  cycles: cycleTable,
  coverage: summary,
};
writeFileSync('docs/verification.md', filled('docs/verification.md', tables));

const example = ['--import', 'tsx', 'docs/examples/testing-verification.ts'];
const printed = execFileSync(process.execPath, example, { encoding: 'utf8' }).trimEnd();
const output = { 'testing-verification-output': `\`\`\`text\n${printed}\n\`\`\`` };
writeFileSync('docs/testing.md', filled('docs/testing.md', output));
console.log(summary);

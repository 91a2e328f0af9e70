import { formatSteps, isBroken, SHIPPED_WORLDS, verify } from '../../src/testing/index.ts';

/** Replays every edge of every shipped space on live actors: `npm run test:paths`, some minutes. */
const worlds = SHIPPED_WORLDS.map((world) => ({ ...world, replay: 'all' as const }));
const { holds, worlds: reports } = await verify({ worlds });
for (const { name, states, edges, replayed, mismatches, results } of reports) {
  console.log(
    `${name}: ${states} states, ${edges} edges, ${replayed} replayed, ${mismatches.length} mismatches`,
  );
  for (const { path } of mismatches.slice(0, 3))
    console.log(path.map(({ label }) => `  ${label}`).join('\n'));
  for (const broken of results.filter(isBroken)) console.log(formatSteps(broken));
}
process.exitCode = holds ? 0 : 1;

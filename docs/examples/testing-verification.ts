import { DEFAULT_POLICIES } from 'agenthub';
import {
  callOf,
  formatMermaid,
  formatSteps,
  granted,
  hostWorlds,
  isBroken,
  onlyAfter,
  type Property,
  settles,
  starts,
  verify,
} from 'agenthub/testing';
import { largeRefunds, policies } from './refund.ts';

/** A property of our own: it remembers whether a refund was denied. */
const noneAfterDenial: Property = {
  id: 'none after a denial',
  text: 'Once a refund was denied, no refund starts any more.',
  memory: {
    initial: false,
    next: (denied, taken) =>
      denied === true || settles({ tool: 'refund', outcome: 'denied' }).of(taken).length > 0,
  },
  violation: (taken, denied) => {
    const [call] = starts({ tool: 'refund' }).of(taken);
    return denied === true && call !== undefined ? `call ${call} starts all the same` : null;
  },
};

const hosts = hostWorlds({
  policies: { ...DEFAULT_POLICIES, ...policies, refund: 'ask' },
  hooks: [largeRefunds],
  calls: [callOf('refund', { input: { order: 'A1', amount: 20 } })],
  callsPerReply: 1,
});
const { holds, worlds } = await verify({
  // These worlds are one turn deep; what comes after a denial takes a second one.
  worlds: hosts.map(({ name, world }) => ({
    name: `${name}, two turns`,
    world: { ...world, limits: { ...world.limits, turns: 2 } },
    replay: 40,
  })),
  properties: [
    onlyAfter('asked', starts({ tool: 'refund' }), granted({ tool: 'refund', approval: 'use' })),
    noneAfterDenial,
  ],
});

console.log(holds ? 'everything holds' : 'something is broken');
for (const { name, states, edges, results, replayed, mismatches } of worlds) {
  console.log(`${name}: ${states} states, ${edges} edges; ${replayed} replayed live`);
  console.log(`${results.length} properties, ${mismatches.length} mismatches`);
  for (const broken of results.filter(isBroken)) {
    console.log(`\n${formatSteps(broken)}\n\n${formatMermaid(broken)}`);
  }
}

import { createHookRunner, DEFAULT_POLICIES, type Hook } from 'agenthub';
import {
  callOf,
  granted,
  hostWorlds,
  never,
  onlyAfter,
  recordHookAnswers,
  starts,
  verify,
} from 'agenthub/testing';
import { largeRefunds, policies, refund } from './refund.ts';

const isLarge = {
  tool: 'refund',
  text: 'of more than 500',
  where: ({ input }: { input: unknown }) => (input as { amount: number }).amount > 500,
};

/** What must hold on every path, whatever the model, people and the world do. */
export const properties = [
  onlyAfter('large refunds', starts(isLarge), granted({ ...isLarge, approval: 'hook' })),
  never('no policy, no start', starts({ tool: 'echo' })),
];

/** Verifies the agent with these hooks; the real hook is run on a small and on a large refund. */
export async function verifyRefunds(hooks: readonly Hook[] = [largeRefunds]) {
  const calls = [
    callOf('refund', { input: { order: 'A1', amount: 20 } }),
    callOf('refund', { input: { order: 'A2', amount: 900 } }),
    callOf('echo'),
  ];
  const run = createHookRunner({ hooks, tools: [refund] });
  const worlds = hostWorlds({
    policies: { ...DEFAULT_POLICIES, ...policies },
    hooks,
    calls: await recordHookAnswers(calls, run),
    callsPerReply: 1,
  });
  return verify({ worlds, properties });
}

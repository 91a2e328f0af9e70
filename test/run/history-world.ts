import { z } from 'zod';
import type { Model } from '../../src/model/model.types.ts';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import type { Run, RunOutcome } from '../../src/run/run.types.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

/** A model that asks for two payments and then answers, by what it is shown: the same after a restart. */
export const byHistory: Model = {
  name: 'by history',
  generate: async ({ messages }) => {
    const isFirst = messages.every(({ role }) => role !== 'tool');
    const calls = ['a', 'b'].map((text) => ({
      id: text,
      name: 'pay',
      arguments: JSON.stringify({ text }),
    }));
    return {
      text: isFirst ? '' : 'paid',
      calls: isFirst ? calls : [],
      finishReason: 'stop',
      model: 'm',
      requests: [],
    };
  },
};

/** Options of an agent that pays twice when asked to, and what it paid. */
export function payingAgent(store: RunStore, policy: 'ask' | 'allow' = 'ask') {
  const effects: string[] = [];
  const options: AgentOptions = {
    store,
    model: byHistory,
    tools: [
      defineTool({
        name: 'pay',
        description: { zh: '付款', en: 'Pays' },
        input: z.strictObject({ text: z.string() }),
        execute: async ({ text }, { idempotencyKey }) => {
          effects.push(`${text} ${idempotencyKey}`);
          return `paid ${text}`;
        },
      }),
    ],
    permissions: { policies: { pay: policy } },
  };
  return { options, effects };
}

/** Approves whatever a run asks, to its rest. */
export async function approveAll(run: Run): Promise<RunOutcome> {
  for await (const event of run)
    if (event.type === 'permission.requested')
      for (const { callId } of event.questions) run.approve(callId, undefined, { by: 'ada' });
  return run.outcome;
}

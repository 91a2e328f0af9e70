import { z } from 'zod';
import type { Model } from '../../src/model/model.types.ts';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import type { Run, RunOutcome } from '../../src/run/run.types.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

/** A model that asks for two payments and then answers, by what it is shown: the same after a restart. */
export const payingModel: Model = {
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

/** The tool that pays: `pay` is given what is paid and the key of the start. */
export function payTool(pay: (text: string, idempotencyKey: string) => void, safeToRepeat = false) {
  return defineTool({
    name: 'pay',
    description: { zh: '付款', en: 'Pays' },
    input: z.strictObject({ text: z.string() }),
    safeToRepeat,
    execute: async ({ text }, { idempotencyKey }) => {
      pay(text, idempotencyKey);
      return `paid ${text}`;
    },
  });
}

/** Options of an agent that pays twice when it is allowed to; each payment is added to `effects`. */
export function payingAgent(
  store: RunStore,
  { effects = [] as string[], safeToRepeat = false } = {},
) {
  const pay = payTool((text, key) => effects.push(`${text} ${key}`), safeToRepeat);
  const options: AgentOptions = {
    store,
    model: payingModel,
    tools: [pay],
    permissions: { policies: { pay: 'ask' } },
  };
  return { options, effects };
}

/** The world outside the engine: what took effect there survives every restart. */
export function outside() {
  const effects: string[] = [];
  const options = (store: RunStore, safeToRepeat: boolean): AgentOptions => ({
    ...payingAgent(store, { effects, safeToRepeat }).options,
    createId: () => 'run',
    leaseTime: 60_000,
  });
  return { effects, options };
}

/** Approves whatever a run asks, to its rest. */
export async function approveAll(run: Run): Promise<RunOutcome> {
  for await (const event of run)
    if (event.type === 'permission.requested')
      for (const question of event.questions) run.approve(question, { by: 'ada' });
  return run.outcome;
}

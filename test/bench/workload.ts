import { z } from 'zod';
import { todoReminder, unfinishedTodos } from '../../src/hooks/index.ts';
import type { Model } from '../../src/model/model.types.ts';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

/** A text of so many characters that no other step has. */
export function textOf(step: number, length = 200): string {
  return `${step} `.padEnd(length, 'A step of work, told in words. ');
}

/** A model that says something and calls a tool at every turn; a tool that says something back. */
export function workload(steps: number) {
  let turn = 0;
  const model: Model = {
    name: 'bench',
    generate: async () => {
      turn += 1;
      return {
        text: textOf(turn),
        calls:
          turn > steps ? [] : [{ id: `call_${turn}`, name: 'work', arguments: `{"step":${turn}}` }],
        finishReason: 'stop',
        model: 'bench',
        requests: [
          {
            messages: turn * 2,
            characters: turn * 400,
            usage: { inputTokens: turn * 100, outputTokens: 50 },
            error: null,
            ms: 1,
          },
        ],
      };
    },
  };
  const tool = defineTool({
    name: 'work',
    description: { zh: '做一步', en: 'Does a step' },
    input: z.strictObject({ step: z.number() }),
    execute: async ({ step }) => textOf(step),
  });
  return { model, tool };
}

export interface AgentBench {
  readonly steps: number;
  readonly store?: RunStore;
  readonly hooks?: 'none' | 'todo';
  /** Whether the model answers after the last step, or the run rests at its limit of turns. */
  readonly ends?: boolean;
}

/** The whole engine on the workload. */
export function benchAgent({ steps, store, hooks = 'none', ends = true }: AgentBench) {
  const { model, tool } = workload(steps);
  const limits = { turns: ends ? steps + 1 : steps, toolCalls: steps + 1 };
  const options: AgentOptions = {
    model,
    tools: [tool],
    hooks: hooks === 'none' ? [] : [todoReminder(), unfinishedTodos()],
    permissions: { policies: { work: 'allow' } },
    limits,
    ...(store && { store }),
  };
  return createAgent(options);
}

/** Milliseconds of one whole run. */
export async function timeRun(bench: AgentBench): Promise<number> {
  const agent = benchAgent(bench);
  const start = performance.now();
  const { status } = await agent.start('Work.', { runId: 'bench' }).outcome;
  const time = performance.now() - start;
  if (status !== (bench.ends === false ? 'suspended' : 'done'))
    throw new Error(`The run ended ${status}.`);
  return time;
}

/** The least of several times: what else the machine does only ever adds. */
export async function leastOf(rounds: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) least = Math.min(least, await measure());
  return least;
}

/** Prints a ratio beside what is allowed; answers whether it holds. */
export function judge(name: string, ratio: number, allowed: number): boolean {
  const holds = ratio <= allowed;
  const words = `${ratio.toFixed(2)}  allowed ${allowed}`;
  console.log(`${name.padEnd(64)}${words.padStart(22)}  ${holds ? 'ok' : 'MISSED'}`);
  return holds;
}

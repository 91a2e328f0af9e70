import type { AgentOptions } from '../../src/run/agent.types.ts';
import type { Run } from '../../src/run/run.types.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import type { ScriptedStep } from '../../src/testing/scripted-model.ts';
import { scriptedAgent } from '../run/support.ts';

/** Policies under which every note is asked about. */
export const asks = { permissions: { policies: { note: 'ask' as const } } };

let made = 0;

/** Starts a run of a script in a store, with real time. */
export function startRun(
  steps: readonly ScriptedStep[],
  { store = memoryStore(), prompt = 'Take notes', ...options }: SeedOptions = {},
): { readonly run: Run; readonly store: RunStore; readonly started: readonly string[] } {
  made += 1;
  const createId = () => `run-${made}`;
  const { agent, started } = scriptedAgent(steps, { createId, now: Date.now, ...options, store });
  return { run: agent.start(prompt), store, started };
}

interface SeedOptions extends Partial<AgentOptions> {
  readonly prompt?: string;
}

/** Resolves when the run asks, and everything up to there is stored. */
export async function untilStoredQuestion(run: Run): Promise<void> {
  for await (const event of run) if (event.type === 'permission.requested') break;
  await run.saved();
}

import type { PreToolVerdict } from '../../machines/agent/agent.types.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import type { WorldCall } from './world/world.types.ts';

/** Runs the real PreToolUse hooks on a call, as an agent would. */
export type HookRunner = (call: {
  readonly tool: string;
  readonly input: Json;
}) => Promise<PreToolVerdict>;

/**
 * Calls whose hooks answer what the real ones answer to them, and nothing else. Failures stay
 * possible: a hook that works today may crash tomorrow.
 */
export async function recordHookAnswers(
  calls: readonly WorldCall[],
  run: HookRunner,
): Promise<readonly WorldCall[]> {
  return Promise.all(
    calls.map(async (call): Promise<WorldCall> => {
      const { tool, input } = call;
      const answer = await run({ tool, input });
      const failure: PreToolVerdict = {
        verdict: 'failed',
        reasons: [{ source: 'hook', text: 'crashed' }],
        context: [],
        input,
      };
      const isFailure = answer.verdict === 'failed';
      return { ...call, hookAnswers: isFailure ? [answer] : [answer, failure] };
    }),
  );
}

import type { Facts } from '../../machines/permission/evaluate.ts';
import { readFacts } from '../../machines/permission/read-facts.ts';
import { AgentHubError, toErrorData } from '../../machines/vocabulary/errors.ts';
import { canonicalJson, type Json } from '../../machines/vocabulary/json.ts';
import type { FactsFailure, FactsVariant, WorldCall } from './world/world.types.ts';

/** What is asked of a tool here; every tool has it. */
export interface InspectedTool {
  readonly name: string;
  inspectFacts(input: never, context: { readonly signal: AbortSignal }): Promise<Partial<Facts>>;
}

/**
 * Calls whose facts are what the real `inspectFacts` finds for their inputs, and nothing else: for
 * the input that will run, where `recordHookAnswers` has said before what hooks make of it. What it
 * throws, and what is no facts, is a look-up that failed, as in a run.
 */
export async function recordFacts(
  calls: readonly WorldCall[],
  tools: readonly InspectedTool[],
): Promise<readonly WorldCall[]> {
  return Promise.all(
    calls.map(async (call): Promise<WorldCall> => {
      if (call.problem !== null) return call;
      const found = await Promise.all(
        inputsThatRun(call).map((input) => inspect({ ...call, input }, tools)),
      );
      return { ...call, facts: [...new Map(found.map((one) => [one.name, one])).values()] };
    }),
  );
}

function inputsThatRun({ input, hookAnswers }: WorldCall): readonly Json[] {
  const answered = hookAnswers?.filter(({ verdict }) => verdict === 'proceed' || verdict === 'ask');
  const inputs = answered?.length ? answered.map((answer) => answer.input) : [input];
  return [...new Map(inputs.map((one) => [canonicalJson(one), one])).values()];
}

async function inspect(
  { tool: name, input }: WorldCall,
  tools: readonly InspectedTool[],
): Promise<FactsVariant | FactsFailure> {
  try {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined)
      throw new AgentHubError('facts_unavailable', `There is no tool named ${name}.`);
    const { signal } = new AbortController();
    const found: unknown = await tool.inspectFacts(structuredClone(input) as never, { signal });
    const read = readFacts(found);
    if (!read.ok)
      throw new AgentHubError(
        'facts_invalid',
        `The facts of ${name} cannot be used: ${read.problem}`,
      );
    const { facts } = read;
    const words = Object.entries(facts).map(([fact, value]) => `${fact} ${JSON.stringify(value)}`);
    return { name: words.join(', ') || 'no facts', facts };
  } catch (thrown) {
    const error = toErrorData(thrown, 'facts_unavailable');
    return { name: `${error.code}: ${error.message}`, error };
  }
}

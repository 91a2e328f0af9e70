import type { Call } from '../../../machines/agent/agent.types.ts';
import type { Facts } from '../../../machines/permission/evaluate.ts';
import { readFacts, UNNAMED_FACTS } from '../../../machines/permission/read-facts.ts';
import { AgentHubError, toErrorData } from '../../../machines/vocabulary/errors.ts';
import { orAborted, timeLimit } from '../../support/abort.ts';
import { type AgentParts, portActor } from './parts.ts';

/** Looks up what each live call would touch; a call it fails on says why and is denied. */
export function inspectFactsPort(parts: AgentParts) {
  return portActor<'inspectFacts'>(parts, 'facts_unavailable', async ({ calls }, { signal }) => {
    const facts = await Promise.all(
      calls.map(async (call) => [call.id, await inspect(call, parts, signal)] as const),
    );
    return { at: parts.now(), facts: Object.fromEntries(facts) };
  });
}

async function inspect(call: Call, { tools, inspectTimeout }: AgentParts, signal: AbortSignal) {
  const limit = timeLimit(inspectTimeout, { signal });
  try {
    const tool = tools.get(call.tool);
    if (tool === undefined)
      throw new AgentHubError('facts_unavailable', `There is no tool named ${call.tool}.`);
    // A copy: what is inspected is what is decided on and executed, whatever an inspector does.
    const input = structuredClone(call.input);
    const looking = Promise.resolve(tool.inspectFacts(input, { signal: limit.signal }));
    const found = await orAborted(looking, limit.signal);
    return { ok: true, facts: checkFacts(call.tool, found) } as const;
  } catch (thrown) {
    const error = limit.isTimeout()
      ? { code: 'facts_timeout', message: `No answer within ${inspectTimeout} ms.` }
      : toErrorData(thrown, 'facts_unavailable');
    return { ok: false, error } as const;
  } finally {
    limit.end();
  }
}

function checkFacts(toolName: string, found: unknown): Facts {
  const read = readFacts(found);
  if (read.ok) return { ...UNNAMED_FACTS, ...read.facts, toolName };
  throw new AgentHubError(
    'facts_invalid',
    `The facts of ${toolName} cannot be used: ${read.problem}`,
  );
}

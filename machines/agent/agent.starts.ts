import { approvedUntil, factsOf } from './agent.calls.ts';
import { allowedCalls } from './agent.guards.ts';
import type { PortInputs } from './agent.ports.ts';
import type { AgentContext } from './agent.types.ts';

/** What starts now: every allowed call, with the input and the facts it was decided on. */
export function toolStarts(context: AgentContext): readonly PortInputs['tool'][] {
  const { runId, turn, locale } = context;
  return allowedCalls(context).flatMap((call) => {
    const { id: callId, tool, input, starts, facts } = call;
    // An allowed call has facts; without them nothing was decided.
    if (facts === null) return [];
    return [
      {
        runId,
        turn,
        locale,
        callId,
        tool,
        input,
        facts: factsOf(call, facts),
        attempt: starts + 1,
        approvedUntil: approvedUntil(call),
      },
    ];
  });
}

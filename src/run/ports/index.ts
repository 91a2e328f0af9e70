import { deadlinePassed } from '../deadline.ts';
import { inspectFactsPort } from './facts-port.ts';
import { hookPorts } from './hook-ports.ts';
import { callModelPort, parseReplyPort } from './model-ports.ts';
import { type AgentParts, portActor } from './parts.ts';
import { toolPort } from './tool-port.ts';

/** The ports of an agent, made once per agent: this is where the islands meet the chart. */
export function createPorts(parts: AgentParts) {
  const { now } = parts;
  return {
    ...hookPorts(parts),
    callModel: callModelPort(parts),
    parseReply: parseReplyPort(parts),
    inspectFacts: inspectFactsPort(parts),
    approvalDeadline: portActor<'approvalDeadline'>(
      parts,
      'deadline_failed',
      async ({ at }, { signal }) => ({
        at: await deadlinePassed(at, { signal, now }),
      }),
    ),
    tool: toolPort(parts),
  };
}

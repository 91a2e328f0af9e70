import { createActor, fromPromise, waitFor } from 'xstate';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import type { PortName } from '../../machines/agent/agent.ports.ts';
import { type AgentInput, DEFAULT_LIMITS } from '../../machines/agent/agent.types.ts';
import type { HookEvent } from '../../machines/agent/matcher.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import type { Message, Outcome } from '../../machines/vocabulary/messages.ts';

/** What a port is to do: answer, or reject by throwing. */
export type Port = (input: Record<string, unknown>) => unknown;

const usage = { inputTokens: 1, outputTokens: 1 };
const request = { messages: 1, characters: 4, usage, error: null, ms: 1 };

/** The answer of a model port. */
export const modelAnswer = {
  at: 2,
  reply: { text: 'text', calls: [], finishReason: 'stop', model: 'double', requests: [request] },
};

/** One call of `note` in a parsed reply. */
export const noteCall = { tool: 'note', providerId: null, input: { text: 'a' }, problem: null };

const ids = ({ calls }: Record<string, unknown>) => (calls as { id: string }[]).map(({ id }) => id);

const forEachCall = (value: unknown): Port => {
  return (input) => Object.fromEntries(ids(input).map((id) => [id, value]));
};

/** Ports that work: turn 1 calls `note`, turn 2 answers. */
const WORKING: Readonly<Record<PortName, Port>> = {
  userPromptSubmit: () => ({ verdict: 'proceed', context: [], reasons: [] }),
  callModel: () => modelAnswer,
  parseReply: ({ turn, reply }) => {
    if (reply === null) throw { code: 'parse_failed', message: 'There is no reply to read.' };
    if (turn === 1) return { kind: 'calls', text: 'text', calls: [noteCall] };
    return { kind: 'answer', text: 'text', answer: 'the answer' };
  },
  preToolUse: forEachCall({ verdict: 'proceed', reasons: [], context: [], input: { text: 'a' } }),
  inspectFacts: (input) => ({
    at: 3,
    facts: Object.fromEntries(
      ids(input).map((id) => [
        id,
        {
          ok: true,
          facts: {
            toolName: 'note',
            touchesPrivate: false,
            outsideAllowedArea: false,
            serviceAllowed: true,
            outputExists: false,
            identity: null,
          },
        },
      ]),
    ),
  }),
  approvalDeadline: () => new Promise(() => {}),
  tool: () => ({ outcome: 'ok', content: 'noted', ms: 1, at: 4 }),
  postToolUse: forEachCall({ content: 'replaced', context: [], faults: [] }),
  stop: () => ({ verdict: 'allow', reasons: [] }),
};

const EVENTS: readonly HookEvent[] = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'];

export function runInput(changes: Partial<AgentInput> = {}): AgentInput {
  return {
    runId: 'run',
    startedAt: 1,
    locale: 'en',
    prompt: 'task',
    history: [],
    hooks: EVENTS.map((event) => ({ name: event, event, matcher: '*' })),
    policies: { note: 'allow' },
    limits: { ...DEFAULT_LIMITS, repairs: 2 },
    ...changes,
  };
}

/** Starts the machine on working ports with some of them replaced, and counts every start. */
export function startMachine(
  ports: Partial<Record<PortName, Port>>,
  input: Partial<AgentInput> = {},
) {
  const starts: Record<string, number> = {};
  const actors = Object.fromEntries(
    Object.entries({ ...WORKING, ...ports }).map(([name, port]) => [
      name,
      fromPromise(async ({ input: given }) => {
        starts[name] = (starts[name] ?? 0) + 1;
        return port(given as Record<string, unknown>);
      }),
    ]),
  );
  const actor = createActor(agentMachine.provide({ actors: actors as never }), {
    input: runInput(input),
  });
  const errors: unknown[] = [];
  actor.subscribe({ error: (thrown) => errors.push(thrown) });
  actor.start();
  return {
    actor,
    errors,
    startsOf: (name: PortName) => starts[name] ?? 0,
    /** Resolves when the run waits for a person or rests; rejects when the actor broke. */
    settled: () =>
      waitFor(actor, (snapshot) => snapshot.context.rest !== null || snapshot.hasTag('waiting')),
    /** Resolves when the run rests; rejects when the actor broke. */
    settledAtRest: () => waitFor(actor, ({ context }) => context.rest !== null),
  };
}

/** A call and its observation, as they stand in a history. */
export function toolCall(
  id: string,
  tool: string,
  input: Json,
  outcome: Outcome = 'ok',
): Message[] {
  const part = { providerId: null, tool };
  return [
    { role: 'assistant', turn: 1, content: '', calls: [{ ...part, id, input }] },
    { ...part, role: 'observation', callId: id, outcome, content: '', reasons: [], context: [] },
  ];
}

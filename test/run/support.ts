import { type InspectionEvent, initialTransition, transition } from 'xstate';
import { z } from 'zod';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import type { AgentContext } from '../../machines/agent/agent.types.ts';
import type { ChatMessage, ModelRequest } from '../../machines/vocabulary/model.ts';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import type { AskedQuestion, Run, RunOutcome } from '../../src/run/run.types.ts';
import { openRuns } from '../../src/run/runs.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { type ScriptedStep, scriptedModel } from '../../src/testing/scripted-model.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

/** A tool `note` that counts its starts and says what it was given. */
export function noteTool(execute?: (text: string) => string | Promise<string>) {
  const started: string[] = [];
  const tool = defineTool({
    name: 'note',
    description: { zh: '记一笔', en: 'Takes a note' },
    input: z.strictObject({ text: z.string() }),
    textField: 'text',
    execute: async ({ text }) => {
      started.push(text);
      return execute ? execute(text) : `noted ${text}`;
    },
  });
  return { tool, started };
}

/** A scripted call of `note`. */
export const callNote = (...texts: readonly string[]): ScriptedStep => ({
  calls: texts.map((text, index) => ({ name: 'note', arguments: { text }, id: `id${index}` })),
  usage: { inputTokens: 10, outputTokens: 2 },
});

export const answer = (text: string): ScriptedStep => ({
  text,
  usage: { inputTokens: 10, outputTokens: 2 },
});

/** Options under which every start of `note` needs a person. */
export const asks = { permissions: { policies: { note: 'ask' as const } } };

/** An agent on a script, with `note` allowed. */
export function scriptedAgent(steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(steps);
  const note = noteTool();
  let time = 1_000;
  const tools = options.tools ?? [note.tool];
  const agent = createAgent({
    model,
    tools,
    permissions: tools.some(({ name }) => name === 'note') ? { policies: { note: 'allow' } } : {},
    now: () => {
      time += 1;
      return time;
    },
    createId: () => 'run-1',
    ...options,
  });
  return { agent, model, started: note.started };
}

/** Runs a script to its rest in a store; at a question, a person does as told. */
export async function storedRun(
  steps: readonly ScriptedStep[],
  options: Partial<AgentOptions> = {},
  person: 'approve' | 'deny' | 'leave' = 'approve',
) {
  const store = memoryStore();
  const { agent } = scriptedAgent(steps, { ...options, store });
  const run = agent.start('task');
  for await (const event of run) {
    if (event.type !== 'permission.requested') continue;
    for (const question of event.questions) {
      if (person === 'approve') run.approve(question, { by: 'ada' });
      if (person === 'deny') run.deny(question, 'too dear', { by: 'ada' });
    }
    if (person === 'leave') await run.close();
  }
  return { store, runs: openRuns(store, { now: () => 5_000 }), agent };
}

/** What a run asks about a call now, as a person sees it; nothing where it does not ask. */
export function asked(run: Pick<Run, 'questions'>, callId = '1.0'): AskedQuestion {
  return run.questions.find((question) => question.callId === callId) ?? { callId, shown: '' };
}

/** Waits until a run asks, or rests. */
export async function untilAsked(run: Run): Promise<void> {
  for await (const event of run) if (event.type === 'permission.requested') return;
}

/** The last request's messages of one role, as texts. */
export function said(request: ModelRequest | undefined, role: ChatMessage['role']): string[] {
  return (request?.messages ?? [])
    .filter((message) => message.role === role)
    .map(({ content }) => content);
}

/** Outcomes of the calls of a run, by call id. */
export function outcomes({ messages }: Pick<RunOutcome, 'messages'>): Record<string, string> {
  return Object.fromEntries(
    messages.flatMap((message) =>
      message.role === 'observation' ? [[message.callId, message.outcome]] : [],
    ),
  );
}

/** Records a run as a log of events, and what the live actor was after each. */
export function recorder() {
  const events: { type: string }[] = [];
  const live: { value: unknown; context: AgentContext }[] = [];
  const isRoot = (event: InspectionEvent) =>
    (event.actorRef as { sessionId?: string }).sessionId === event.rootId;
  const inspect = (event: InspectionEvent) => {
    if (!isRoot(event)) return;
    if (event.type === '@xstate.event') events.push(structuredClone(event.event));
    if (event.type === '@xstate.snapshot') {
      const { value, context } = event.snapshot as never as (typeof live)[number];
      live.push({ value, context });
    }
  };
  return { events, live, inspect };
}

/** Folds a log through the pure machine: the snapshot after each event. */
export function fold(events: readonly { type: string }[]) {
  const [first, ...rest] = events as [{ type: string; input: never }, ...{ type: string }[]];
  let [snapshot] = initialTransition(agentMachine, first.input);
  const persisted = () => JSON.stringify(agentMachine.getPersistedSnapshot(snapshot));
  const stepOf = () => ({
    value: snapshot.value as unknown,
    context: snapshot.context,
    persisted: persisted(),
  });
  const folded = [stepOf()];
  for (const event of rest) {
    [snapshot] = transition(agentMachine, snapshot, event as never);
    folded.push(stepOf());
  }
  return { folded, snapshot };
}

import { z } from 'zod';
import type { Question } from '../../machines/agent/agent.view.ts';
import type { Policies } from '../../machines/permission/policies.ts';
import { defineHook } from '../../src/hooks/index.ts';
import type { Model } from '../../src/model/model.types.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.types.ts';

interface ToolKind {
  readonly policy: 'ask' | 'allow' | 'deny';
  readonly safeToRepeat: boolean;
  /** How a call ends that never starts; null for one that does. */
  readonly refused: 'denied' | 'blocked' | null;
}

/** The tools of a run that is put through an ordeal. */
export const TOOLS = {
  pay: { policy: 'ask', safeToRepeat: false, refused: null },
  send: { policy: 'allow', safeToRepeat: false, refused: null },
  draft: { policy: 'ask', safeToRepeat: true, refused: null },
  look: { policy: 'allow', safeToRepeat: true, refused: null },
  /** The person says no. */
  erase: { policy: 'ask', safeToRepeat: false, refused: 'denied' },
  /** A hook blocks it. */
  leak: { policy: 'allow', safeToRepeat: false, refused: 'blocked' },
  /** Nobody can allow it. */
  close: { policy: 'deny', safeToRepeat: false, refused: 'denied' },
} as const satisfies Record<string, ToolKind>;

export type ToolName = keyof typeof TOOLS;

/** The tools of each reply of the model, up to the last, which is its answer. */
export type Replies = readonly (readonly ToolName[])[];

/** A call as it is to be in the end. */
export interface PlannedCall {
  readonly callId: string;
  readonly tool: ToolName;
  /** What the tool is to be given, as a hook leaves it. */
  readonly text: string;
}

/** Every call of a run, in order. */
export function plannedCalls(replies: Replies): readonly PlannedCall[] {
  return replies.flatMap((tools, reply) =>
    tools.map((tool, index) => {
      const callId = `${reply + 1}.${index}`;
      return { callId, tool, text: isRewritten(index) ? `rewritten ${callId}` : callId };
    }),
  );
}

const isRewritten = (index: number): boolean => index % 2 === 1;

/** A model that says what is planned, by what it is shown: the same after a restart. */
export function planningModel(replies: Replies): Model {
  return {
    name: 'by plan',
    generate: async ({ messages }) => {
      const reply = messages.filter(({ role }) => role === 'assistant').length;
      const calls = (replies[reply] ?? []).map((name, index) => {
        const callId = `${reply + 1}.${index}`;
        const text = isRewritten(index) ? `to rewrite ${callId}` : callId;
        return { id: callId, name, arguments: JSON.stringify({ text }) };
      });
      const text = calls.length === 0 ? 'all done' : '';
      return { text, calls, finishReason: 'stop', model: 'm', requests: [] };
    },
  };
}

/** What a tool is told of its start. */
export interface ToolStart {
  readonly tool: ToolName;
  readonly text: string;
  readonly callId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
}

/** The tools; `effect` is what each start does. */
export function tools(effect: (start: ToolStart) => Promise<void>): readonly Tool[] {
  return Object.entries(TOOLS).map(([name, { safeToRepeat }]) =>
    defineTool({
      name,
      description: { zh: '试', en: 'Tries' },
      input: z.strictObject({ text: z.string() }),
      safeToRepeat,
      execute: async ({ text }, { callId, attempt, idempotencyKey }) => {
        await effect({ tool: name as ToolName, text, callId, attempt, idempotencyKey });
        return `did ${text}`;
      },
    }),
  );
}

export const policies: Policies = Object.fromEntries(
  Object.entries(TOOLS).map(([name, { policy }]) => [name, policy]),
);

/** A hook on every event: one rewrites what it is given, one blocks. */
export const hooks = [
  defineHook({ name: 'prompt', event: 'UserPromptSubmit', run: () => ({ decision: 'proceed' }) }),
  defineHook({
    name: 'rewrite',
    event: 'PreToolUse',
    run: ({ input }) => {
      const { text } = input as { readonly text: string };
      return { decision: 'proceed', input: { text: text.replace('to rewrite', 'rewritten') } };
    },
  }),
  defineHook({
    name: 'block',
    event: 'PreToolUse',
    matcher: 'leak',
    run: () => ({ decision: 'block', reason: 'nothing leaves' }),
  }),
  defineHook({ name: 'after', event: 'PostToolUse', run: () => ({}) }),
  defineHook({ name: 'stop', event: 'Stop', run: () => ({ decision: 'allow' }) }),
];

/** Who answers: the driving process, granting or denying a repeat, or nobody in it. */
export type Person = 'grants' | 'denies repeats' | 'nobody';

/** What the person says to a question. */
export function saysYes({ tool, missing }: Question, person: Person): boolean {
  if (TOOLS[tool as ToolName].refused !== null) return false;
  return person !== 'denies repeats' || !missing.includes('repeat');
}

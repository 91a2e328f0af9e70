import { z } from 'zod';
import { DEFAULT_LIMITS, type Limits } from '../../machines/agent/agent.types.ts';
import type { HookEvent } from '../../machines/agent/matcher.ts';
import { DEFAULT_POLICIES, type Policies } from '../../machines/permission/policies.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { Message } from '../../machines/vocabulary/messages.ts';
import { checkValue } from './option-problems.ts';

const count = z.number().int().positive();

const HOOK_EVENTS = [
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'Stop',
] as const satisfies HookEvent[];

/** Limits as a host or a configuration file may give them. */
export const limitsSchema = z
  .strictObject({
    turns: count,
    toolCalls: count,
    callsPerReply: count,
    repairs: count.or(z.literal(0)),
    stopBlocks: count.or(z.literal(0)),
    repeatedCalls: count.min(2),
    tokens: count.nullable(),
    time: count.nullable(),
    approvalDeadline: count.nullable(),
  })
  .partial();

const conditionSchema = z.union([
  z.strictObject({ fact: z.string(), is: z.json() }),
  z.strictObject({ fact: z.string(), above: z.number() }),
  z.strictObject({ fact: z.string(), below: z.number() }),
]);

const ruleSchema = z
  .strictObject({
    when: z.array(conditionSchema),
    action: z.enum(['ask', 'deny']),
    approval: z.enum(['outside', 'service', 'overwrite', 'use', 'hook', 'repeat']).nullable(),
    reason: z.strictObject({
      code: z.string().min(1),
      zh: z.string().min(1),
      en: z.string().min(1),
    }),
  })
  .refine(({ action, approval }) => action === 'deny' || approval !== null, {
    message: 'an "ask" rule must name the approval that lifts it',
    path: ['approval'],
  });

/** Policies as a host or a configuration file may give them. */
export const policiesSchema = z.record(
  z.string(),
  z.union([z.enum(['allow', 'ask', 'deny']), z.strictObject({ rules: z.array(ruleSchema) })]),
);

/** Parses an option, or says which one is wrong and what is allowed. */
export function parseOption<Value>(schema: z.ZodType<Value>, value: unknown, name: string): Value {
  const checked = checkValue(schema, value, 'en');
  if (checked.ok) return checked.value;
  const problems = checked.problems.map(
    ({ path, text }) => `${[name, path].filter(Boolean).join('.')}: ${text}`,
  );
  throw new AgentHubError('invalid_options', problems.join('\n'), { option: name });
}

/** One line of text that every store keeps as it is, and that can be told to a person. */
const RUN_ID = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

/** @throws AgentHubError `invalid_options` for what is no run id. */
export function checkRunId(runId: unknown): string {
  if (typeof runId === 'string' && RUN_ID.test(runId)) return runId;
  throw new AgentHubError(
    'invalid_options',
    'runId: a run id is text of 1 to 200 characters without control characters.',
    { option: 'runId' },
  );
}

/** The limits of a run: what is given, over `base`. */
export function mergeLimits(
  given: Partial<Limits> | undefined,
  base: Limits = DEFAULT_LIMITS,
): Limits {
  const checked = parseOption(limitsSchema, given ?? {}, 'limits');
  const set = Object.entries(checked).filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(set) };
}

/** The shipped policies with a host's over them. */
export function mergePolicies(given: Policies | undefined): Policies {
  const checked = parseOption(policiesSchema, given ?? {}, 'permissions.policies');
  return { ...DEFAULT_POLICIES, ...(checked as Policies) };
}

const noteSchema = z.strictObject({ source: z.string(), text: z.string() });
const reasonSchema = z.object({
  code: z.string(),
  source: z.enum(['rule', 'hook', 'person', 'engine']),
  approval: z.string().nullable(),
  zh: z.string(),
  en: z.string(),
});

const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: z.string(), context: z.array(noteSchema) }),
  z.object({
    role: z.literal('assistant'),
    turn: count,
    content: z.string(),
    calls: z.array(
      z.object({
        id: z.string(),
        providerId: z.string().nullable(),
        tool: z.string(),
        input: z.json(),
      }),
    ),
  }),
  z.object({
    role: z.literal('observation'),
    callId: z.string(),
    providerId: z.string().nullable(),
    tool: z.string(),
    outcome: z.string(),
    content: z.string(),
    reasons: z.array(reasonSchema),
    context: z.array(noteSchema),
  }),
  z.object({ role: z.literal('repair'), code: z.string(), detail: z.string().nullable() }),
  z.object({ role: z.literal('stop_block'), reasons: z.array(noteSchema) }),
]);

/** What a run starts with, as a log that comes from elsewhere holds it. */
export const inputSchema = z.object({
  runId: z.string().regex(RUN_ID),
  startedAt: z.number(),
  locale: z.enum(['zh', 'en']),
  prompt: z.string(),
  history: z.array(messageSchema),
  hooks: z.array(
    z.strictObject({ name: z.string(), event: z.enum(HOOK_EVENTS), matcher: z.string() }),
  ),
  policies: policiesSchema,
  limits: limitsSchema.required(),
});

/**
 * A conversation to go on with. Refuses one in which a call has not exactly one observation,
 * right after the reply that made it: no provider would take it.
 */
export function checkHistory(history: readonly Message[] | undefined): readonly Message[] {
  if (history === undefined || history.length === 0) return [];
  parseOption(z.array(messageSchema), history, 'history');
  let open: string[] = [];
  for (const [index, message] of history.entries()) {
    if (message.role === 'observation' && message.callId === open[0]) {
      open = open.slice(1);
      continue;
    }
    if (message.role === 'observation' || open.length > 0)
      throw new AgentHubError(
        'invalid_history',
        `history.${index}: every call needs exactly one observation, in order, right after its reply.`,
      );
    if (message.role === 'assistant') open = message.calls.map(({ id }) => id);
  }
  if (open.length > 0)
    throw new AgentHubError('invalid_history', `history: call ${open[0]} has no observation.`);
  return history;
}

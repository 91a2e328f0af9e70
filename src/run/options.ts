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
    turns: count.describe('Model requests.'),
    toolCalls: count.describe('Tool calls in the whole run.'),
    callsPerReply: count.describe('Tool calls in one reply; a reply with more is sent back.'),
    repairs: count
      .or(z.literal(0))
      .describe('Replies that could not be read and were sent back to be mended.'),
    stopBlocks: count.or(z.literal(0)).describe('Times a Stop hook may keep the run going.'),
    repeatedCalls: count.min(2).describe('Times the same call may give the same result.'),
    tokens: count.nullable().describe('Tokens in and out, as reported; null for no limit.'),
    time: count
      .nullable()
      .describe('Milliseconds of work, waiting for people left out; null for no limit.'),
    approvalDeadline: count
      .nullable()
      .describe('Milliseconds a person has to answer a question; null for no deadline.'),
    setbacks: count.describe(
      'Times one call may be set back before it starts: what it would touch has changed since it was approved, or its start did not come about.',
    ),
  })
  .partial();

/** All the limits of a run. */
export const wholeLimitsSchema = limitsSchema.required();

const fact = z.string().describe('The name of a fact.');
const conditionSchema = z.union([
  z.strictObject({ fact, is: z.json().describe('The fact equals this value.') }),
  z.strictObject({ fact, above: z.number().describe('The fact is greater than this number.') }),
  z.strictObject({ fact, below: z.number().describe('The fact is less than this number.') }),
]);

const ruleSchema = z
  .strictObject({
    when: z
      .array(conditionSchema)
      .describe('All must hold for the rule to match; none: it always matches.'),
    action: z.enum(['ask', 'deny']).describe('What the rule does when it matches.'),
    approval: z
      .enum(['outside', 'service', 'overwrite', 'use', 'hook', 'repeat'])
      .nullable()
      .describe('What a person approves to lift an "ask"; null for a "deny".'),
    reason: z
      .strictObject({
        code: z.string().min(1).describe('A literal code.'),
        zh: z.string().min(1).describe('The reason in Chinese.'),
        en: z.string().min(1).describe('The reason in English.'),
      })
      .describe('What people and the model are told.'),
  })
  .refine(({ action, approval }) => action === 'deny' || approval !== null, {
    message: 'an "ask" rule must name the approval that lifts it',
    path: ['approval'],
  });

/** Policies as a host or a configuration file may give them. */
export const policiesSchema = z.record(
  z.string(),
  z.union([
    z.enum(['allow', 'ask', 'deny']).describe('Always, only when a person approves, or never.'),
    z.strictObject({ rules: z.array(ruleSchema) }).describe('By rules on facts.'),
  ]),
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

/**
 * Refuses options with a name that nothing reads: a misspelled one would be as good as left out.
 * @throws AgentHubError `invalid_options` naming them and those there are.
 */
export function checkNames(options: object, known: readonly string[], what: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new AgentHubError('invalid_options', `${what}: give an object, or leave it out.`);
  const strays = Object.keys(options).filter((name) => !known.includes(name));
  if (strays.length === 0) return;
  throw new AgentHubError(
    'invalid_options',
    `${strays.join(', ')}: there is no such option. There are: ${known.join(', ')}.`,
  );
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
  return structuredClone({ ...DEFAULT_POLICIES, ...checked });
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
  limits: wholeLimitsSchema,
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

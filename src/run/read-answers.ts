import { z } from 'zod';
import { denialOf, grantOf } from '../../machines/agent/agent.orders.ts';
import type { Limits, PublicEvent } from '../../machines/agent/agent.types.ts';
import type { Question } from '../../machines/agent/agent.view.ts';
import { APPROVALS } from '../../machines/permission/reasons.ts';
import { checkValue } from './option-problems.ts';
import { limitsSchema } from './options.ts';
import type { Refusal } from './run.types.ts';

/** The event that an answer is, or why it is none. */
export type ReadAnswer<Event extends PublicEvent = PublicEvent> =
  | { readonly ok: true; readonly event: Event }
  | { readonly ok: false; readonly refusal: Refusal };

const approval = z.enum(APPROVALS);
/** What an approval is bound to; a whole question has it. */
const askedSchema = z.object({
  callId: z.string(),
  shown: z.string(),
  missing: z.array(approval).optional(),
});
const callSchema = z.union([z.string(), z.object({ callId: z.string() })]);
const reasonSchema = z.string().optional();
const raised = limitsSchema.optional();

type Cancel = Extract<PublicEvent, { type: 'run.cancel' }>;
type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Reads what hosts say for people. It comes from pages and scripts, so nothing is taken for granted:
 * what is no answer is refused as `invalid_answer`, and says what is wrong. `by` is who answers when
 * nobody is named; null where somebody must be.
 */
export function answerReader(by: string | null) {
  const named = z.string().min(1);
  const person = z.strictObject({ by: by === null ? named : named.default(by) });
  const resuming = person.extend({ limits: raised });
  const denying = person.extend({ reason: reasonSchema });
  const approving = person.extend({
    approvals: z.array(approval).optional(),
    expiresAt: z.number().optional(),
  });

  return {
    /** Without `approvals`, of all that the question says is missing. */
    approval(
      { question, options }: { readonly question: unknown; readonly options: unknown },
      { at, questions }: { readonly at: number; readonly questions: readonly Question[] },
    ): ReadAnswer {
      const asked = read(askedSchema, question, 'question');
      if (!asked.ok) return asked;
      const given = read(approving, options, 'options');
      if (!given.ok) return given;
      const { callId, shown } = asked.value;
      const current = questions.find((open) => open.callId === callId)?.missing ?? [];
      const { missing = current } = asked.value;
      return { ok: true, event: grantOf({ callId, missing, shown }, { ...given.value, at }) };
    },
    /** The reason stands among the options, or before them. */
    denial(
      said: { readonly question: unknown; readonly reason?: unknown; readonly options: unknown },
      at: number,
    ): ReadAnswer {
      const asked = read(callSchema, said.question, 'question');
      if (!asked.ok) return asked;
      const before = read(reasonSchema, said.reason, 'reason');
      if (!before.ok) return before;
      const given = read(denying, said.options, 'options');
      if (!given.ok) return given;
      const { by: who, reason = before.value } = given.value;
      const callId = typeof asked.value === 'string' ? asked.value : asked.value.callId;
      return { ok: true, event: denialOf({ callId }, { by: who, at, reason }) };
    },
    cancellation(options: unknown, at: number): ReadAnswer<Cancel> {
      const given = read(person, options, 'options');
      if (!given.ok) return given;
      return { ok: true, event: { type: 'run.cancel', by: given.value.by, at } };
    },
    /** The limits stand among the options, or before them. */
    resumption(
      said: { readonly limits?: unknown; readonly options: unknown },
      at: number,
    ): ReadAnswer {
      const before = read(raised, said.limits, 'limits');
      if (!before.ok) return before;
      const given = read(resuming, said.options, 'options');
      if (!given.ok) return given;
      const { by: who, limits = before.value ?? {} } = given.value;
      const event = { type: 'run.resume', limits: limits as Partial<Limits>, by: who, at } as const;
      return { ok: true, event };
    },
  };
}

function read<Value>(schema: z.ZodType<Value>, value: unknown, name: string): Read<Value> {
  const checked = checkValue(schema, value, 'en');
  if (checked.ok) return checked;
  const problems = checked.problems.map(({ path, text }) =>
    path === '' ? `${name}: ${text}` : `${name}.${path}: ${text}`,
  );
  const message = `This is no answer, and nothing was changed. ${problems.join('. ')}.`;
  return { ok: false, refusal: { accepted: false, code: 'invalid_answer', message } };
}

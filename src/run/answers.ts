import { z } from 'zod';
import type { AgentContext, PublicEvent } from '../../machines/agent/agent.types.ts';
import { questionsOf } from '../../machines/agent/agent.view.ts';
import { APPROVALS } from '../../machines/permission/reasons.ts';
import { limitsSchema } from './options.ts';
import type { AnswerResult, Refusal } from './run.types.ts';

const answerSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('permission.grant'),
    callId: z.string(),
    approvals: z.array(z.enum(APPROVALS)),
    shown: z.string(),
    by: z.string().min(1),
    at: z.number(),
    expiresAt: z.number().nullable(),
  }),
  z.strictObject({
    type: z.literal('permission.deny'),
    callId: z.string(),
    reason: z.string(),
    by: z.string().min(1),
    at: z.number(),
  }),
  z.strictObject({ type: z.literal('run.cancel'), by: z.string().min(1), at: z.number() }),
  z.strictObject({
    type: z.literal('run.resume'),
    limits: limitsSchema,
    by: z.string().min(1),
    at: z.number(),
  }),
]);

/** One of the four events a person may send, or null: everything else is refused. */
export function toPublicEvent(candidate: unknown): PublicEvent | null {
  const parsed = answerSchema.safeParse(candidate);
  return parsed.success ? (parsed.data as PublicEvent) : null;
}

type RefusalCode = Exclude<Refusal['code'], 'invalid_answer'>;

const REFUSALS: Readonly<Record<RefusalCode, string>> = {
  not_asked: 'There is no open question about this call: it was answered, or never asked.',
  stale: 'What the call would do has changed since the question was shown. Look again.',
  not_missing: 'An approval must name at least one thing that is missing, and nothing else.',
  ended: 'The run has ended.',
  not_suspended: 'The run is not suspended.',
  not_raised: 'The limit that stopped the run must be raised.',
  not_an_answer: 'This is none of the four events that a person may send.',
  lapsed:
    'This process stood still for longer than its lease, so another may drive the run by now. Ask again once saved() has resolved.',
};

/** A refusal with its text. */
export function refuse(code: RefusalCode): Refusal {
  return { accepted: false, code, message: REFUSALS[code] };
}

/** What an answer needs to know of a snapshot. */
interface Answerable {
  readonly status: string;
  readonly value: unknown;
  readonly context: AgentContext;
  can(event: PublicEvent): boolean;
}

/** Whether the chart takes an answer now, and why not otherwise. The chart's guards decide. */
export function judgeAnswer(snapshot: Answerable, event: PublicEvent): AnswerResult {
  if (snapshot.status !== 'active') return refuse('ended');
  if (snapshot.can(event)) return { accepted: true };
  if (event.type === 'run.cancel') return refuse('ended');
  if (event.type === 'run.resume')
    return refuse(snapshot.context.rest?.status === 'suspended' ? 'not_raised' : 'not_suspended');
  const question = questionsOf(snapshot).find(({ callId }) => callId === event.callId);
  if (question === undefined || event.type === 'permission.deny') return refuse('not_asked');
  return refuse(event.shown === question.shown ? 'not_missing' : 'stale');
}

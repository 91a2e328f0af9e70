import {
  explainCall,
  limitToRaise,
  type Question,
  questionsOf,
  reportUsage,
  todosOf,
} from '../../../machines/agent/agent.view.ts';
import type { Json } from '../../../machines/vocabulary/json.ts';
import { hasEnded, shownStatus } from '../../run/run-status.ts';
import { shownDigest } from '../../run/shown-digest.ts';
import type { InboxEntry, RunSummary } from '../../run/store/store.types.ts';
import type { QuestionCard, RunRow, RunState, StepDetail, StepRow } from '../api.types.ts';
import { differencesOf } from './differences.ts';
import type { FoldedStep, StepPair } from './fold-run.ts';
import { filesOf } from './pictures.ts';
import { asObject } from './step-rows.ts';

export function toRunRow(summary: RunSummary): RunRow {
  return { ...summary, shownStatus: shownStatus(summary) };
}

export interface Standing {
  readonly summary: RunSummary;
  /** Answers that wait for a driver. */
  readonly pending: readonly InboxEntry[];
  /** Whether this server takes up runs that nobody drives. */
  readonly takesUp: boolean;
}

/** The questions that are open after a step. */
export function openQuestions({ snapshot }: FoldedStep): readonly Question[] {
  return snapshot.status === 'active' ? questionsOf(snapshot) : [];
}

/** The run as it stood after a step. */
export function toRunState(step: FoldedStep, standing: Standing): RunState {
  const { summary, pending } = standing;
  const { snapshot, context, state, record } = step;
  const { rest } = context;
  return {
    summary: toRunRow(summary),
    seq: record.seq,
    state,
    turn: context.turn,
    usage: reportUsage(context.usage),
    todos: todosOf(snapshot),
    questions: openQuestions(step).map((question) => toCard(question, step, pending)),
    answer: rest?.status === 'done' ? rest.answer : null,
    suspension:
      rest?.status === 'suspended'
        ? {
            reason: rest.reason,
            message: rest.error?.message ?? '',
            limit: limitToRaise(snapshot),
          }
        : null,
    goesOn: goesOn(standing),
    error:
      rest?.status === 'failed' ? { code: rest.error.code, message: rest.error.message } : null,
  };
}

function goesOn({ summary, takesUp }: Standing): RunState['goesOn'] {
  const { status, drivenBy } = summary;
  if (hasEnded(status)) return null;
  if (drivenBy === null) return takesUp ? 'here' : null;
  return status === 'suspended' ? 'driver' : null;
}

function toCard(
  question: Question,
  { snapshot }: FoldedStep,
  pending: readonly InboxEntry[],
): QuestionCard {
  const { callId } = question;
  const files = filesOf(snapshot.context, callId);
  return {
    ...question,
    digest: shownDigest(question),
    considered: explainCall(snapshot, callId),
    facts: snapshot.context.calls.find(({ id }) => id === callId)?.facts ?? null,
    images: { input: files.input !== null, output: files.output !== null },
    answered: answeredBy(pending, callId),
  };
}

/** What waits to be told to the driver about a call, or null. */
function answeredBy(pending: readonly InboxEntry[], callId: string): QuestionCard['answered'] {
  const entry = pending.find(({ event }) => 'callId' in event && event.callId === callId);
  if (entry === undefined) return null;
  return entry.event.type === 'permission.grant' ? 'approve' : 'deny';
}

/** A step in full. */
export function toDetail({ step, before }: StepPair, row: StepRow, standing: Standing): StepDetail {
  return {
    row,
    run: toRunState(step, { ...standing, pending: [] }),
    record: step.record as unknown as Json,
    ...givenAndGot(step, before),
    differences: before === null ? [] : differencesOf(before.context, step.context),
  };
}

/** What the work that a step ends was given, and what it gave. */
function givenAndGot({ record, context }: FoldedStep, before: FoldedStep | null) {
  if (record.kind === 'start') return { input: record.input.prompt, output: null };
  if (record.kind === 'limits') return { input: null, output: record.limits as unknown as Json };
  if (record.kind === 'intent') {
    const call = context.calls.find(({ id }) => id === record.callId);
    return { input: call?.input ?? null, output: null };
  }
  const { type, output = null, error = null, ...rest } = record.event;
  const port = /^xstate\.(?:done|error)\.actor\.(.+)$/u.exec(type)?.[1];
  if (port === undefined) return { input: null, output: rest };
  const told = output ?? error;
  const calls = before?.context.calls ?? [];
  if (port.startsWith('tool.')) {
    const call = calls.find(({ id }) => `tool.${id}` === port);
    return { input: call?.input ?? null, output: told };
  }
  if (port === 'callModel')
    return {
      input: (before?.context.messages ?? []) as unknown as Json,
      output: asObject(told).reply ?? told,
    };
  if (port === 'parseReply')
    return { input: (before?.context.reply ?? null) as unknown as Json, output: told };
  if (port === 'userPromptSubmit') return { input: context.prompt, output: told };
  if (port === 'stop') return { input: before?.context.answer ?? null, output: told };
  const given = calls.map(({ id, tool, input }) => ({ id, tool, input }));
  return { input: given, output: told };
}

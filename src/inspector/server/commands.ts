import { z } from 'zod';
import type { Limits } from '../../../machines/agent/agent.types.ts';
import { APPROVALS } from '../../../machines/permission/reasons.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { limitsSchema } from '../../run/options.ts';
import { openRuns } from '../../run/runs.ts';
import type { PostedAnswer } from '../../run/runs.types.ts';
import { shownDigest } from '../../run/shown-digest.ts';
import type { RunStore } from '../../run/store/store.types.ts';
import type { GoingOn } from './going-on.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { openQuestions } from './run-state.ts';
import type { Refusal } from './safety.ts';
import type { RunWatcher } from './watch-runs.ts';

const answerSchema = z.strictObject({
  callId: z.string(),
  answer: z.enum(['approve', 'deny']),
  digest: z.string(),
  approvals: z.array(z.enum(APPROVALS)).optional(),
  reason: z.string().max(2_000).optional(),
});
const cancelSchema = z.strictObject({});
const resumeSchema = z.strictObject({ limits: limitsSchema.optional() });

export type CommandName = 'answer' | 'cancel' | 'resume';

export interface Command {
  readonly name: CommandName;
  readonly runId: string;
  readonly body: unknown;
  /** Who gives it, for the log. */
  readonly by: string;
}

export type CommandOutcome =
  | { readonly ok: true; readonly reply: PostedAnswer }
  | { readonly ok: false; readonly refusal: Refusal };

export interface CommandsOptions {
  readonly store: RunStore;
  readonly watcher: RunWatcher;
  /** Null where runs are not taken up here. */
  readonly goingOn: GoingOn | null;
  readonly now: () => number;
}

/** Gives commands to runs of the store; those of one run one after another. */
export function createCommands({ store, watcher, goingOn, now }: CommandsOptions) {
  const runs = openRuns(store, { now });
  const inTurn = oneAtATime();

  const answer = async ({ runId, body, by }: Command): Promise<CommandOutcome> => {
    const parsed = answerSchema.safeParse(body);
    if (!parsed.success) return badRequest(parsed.error);
    const { callId, answer: word, digest, approvals, reason = '' } = parsed.data;
    const { folded, summary, pending } = await watcher.look(runId);
    const { last } = folded;
    const question = (last === null ? [] : openQuestions(last)).find(
      (open) => open.callId === callId,
    );
    if (question === undefined) return conflict('not_asked', ALREADY);
    if (shownDigest(question) !== digest) return conflict('stale', STALE);
    const isAnswered = pending.some(({ event }) => 'callId' in event && event.callId === callId);
    if (isAnswered) return conflict('not_asked', ALREADY);
    const posted =
      word === 'approve'
        ? await runs.approve(runId, question, { by, ...(approvals && { approvals }) })
        : await runs.deny(runId, question, { by, reason });
    if (summary.drivenBy === null && posted.result === null) {
      // Another process may have answered between our look and our word: the first one counts.
      const entries = await store.pending(runId);
      const first = entries.find(({ event }) => 'callId' in event && event.callId === callId);
      const ours = word === 'approve' ? 'permission.grant' : 'permission.deny';
      // Another page says `web` too: it is ours if it says the same.
      if (first !== undefined && (first.event.by !== by || first.event.type !== ours))
        return conflict('not_asked', ALREADY);
    }
    return judged(posted);
  };
  const cancel = async ({ runId, body, by }: Command): Promise<CommandOutcome> => {
    const parsed = cancelSchema.safeParse(body);
    if (!parsed.success) return badRequest(parsed.error);
    return judged(await runs.cancel(runId, { by }));
  };
  const resume = async ({ runId, body, by }: Command): Promise<CommandOutcome> => {
    const parsed = resumeSchema.safeParse(body);
    if (!parsed.success) return badRequest(parsed.error);
    const limits = (parsed.data.limits ?? {}) as Partial<Limits>;
    const { summary } = await watcher.look(runId);
    if (summary.drivenBy !== null || goingOn === null)
      return judged(await runs.resume(runId, { by, limits }));
    try {
      const result = await goingOn.start({ runId, by, limits });
      const { drivenBy } = (await watcher.look(runId)).summary;
      return judged({ result, drivenBy });
    } catch (thrown) {
      if (thrown instanceof AgentHubError) return conflict(thrown.code, thrown.message);
      throw thrown;
    }
  };
  const commands = { answer, cancel, resume };

  return (command: Command): Promise<CommandOutcome> =>
    inTurn(command.runId, () => commands[command.name](command));
}

const ALREADY = 'This question has been answered already, or is no longer asked.';
const STALE = 'What the call would do has changed since this was shown. Look again.';

function judged(reply: PostedAnswer): CommandOutcome {
  const { result } = reply;
  if (result === null || result.accepted) return { ok: true, reply };
  return conflict(result.code, result.message);
}

function conflict(code: string, message: string): CommandOutcome {
  return { ok: false, refusal: { status: 409, code, message } };
}

function badRequest(error: z.ZodError): CommandOutcome {
  const refusal = { status: 400, code: 'not_a_command', message: z.prettifyError(error) };
  return { ok: false, refusal };
}

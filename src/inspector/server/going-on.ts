import type { Limits } from '../../../machines/agent/agent.types.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { AnswerResult, Run } from '../../run/run.types.ts';

/** Takes up a stored run that nobody drives, such as `agent.restore`. */
export type RestoreRun = (runId: string) => Promise<Run>;

export interface GoOnRequest {
  readonly runId: string;
  /** Who says so, for the log. */
  readonly by: string;
  /** Raised, for a run that a limit suspended. */
  readonly limits: Partial<Limits>;
}

/** Drives, in this process, the stored runs that a person told to go on. */
export interface GoingOn {
  /**
   * Takes a run up; answers that wait for it come first. One that is suspended is resumed.
   * @throws AgentHubError why it cannot be taken up; nothing was written then.
   */
  start(request: GoOnRequest): Promise<AnswerResult>;
  /** Lets go of every run, each as it stands in the store. */
  close(): Promise<void>;
}

export function createGoingOn(restore: RestoreRun): GoingOn {
  const driven = new Set<Run>();
  let isClosed = false;

  const letGo = async (run: Run): Promise<void> => {
    driven.delete(run);
    // A store that fails at the end has failed the run already, which says so.
    await run.close().catch(() => {});
  };
  /** Until it rests: a suspended run is free for whoever goes on with it next. */
  const follow = async (run: Run): Promise<void> => {
    await run.outcome;
    await letGo(run);
  };

  return {
    start: async ({ runId, by, limits }) => {
      const run = await restore(runId);
      if (isClosed) {
        await letGo(run);
        throw new AgentHubError('closed', 'The inspector is closing; nothing was changed.');
      }
      driven.add(run);
      if (run.state === 'suspended') {
        const resumed = run.resume(limits, { by });
        if (!resumed.accepted) {
          await letGo(run);
          return resumed;
        }
      }
      void follow(run);
      return { accepted: true };
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...driven].map(letGo));
    },
  };
}

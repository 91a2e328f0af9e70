import type { PublicEvent } from '../../machines/agent/agent.types.ts';
import { refuse, toPublicEvent } from './answers.ts';
import type { Journal } from './journal.ts';
import type { AnswerResult } from './run.types.ts';
import type { InboxEntry, RunStore } from './store/store.types.ts';

/** Milliseconds between two looks into the inbox. */
const INTERVAL = 250;

/** What an inbox reads, and who takes what it finds. */
export interface InboxOptions {
  readonly runId: string;
  readonly store: RunStore;
  readonly journal: Journal;
  readonly answer: (event: PublicEvent) => AnswerResult;
  /** Answers that were there before the run went on: taken before anything else happens. */
  readonly waiting: readonly InboxEntry[];
}

/**
 * An inbox while its run is driven. What is left when the run ends is refused by the store, with
 * the records that end it.
 */
export interface Inbox {
  /** Looks no more; what is left waits for the next driver. */
  stop(): void;
  /** An idle inbox is looked into, but keeps no process alive. */
  idle(isIdle: boolean): void;
}

/**
 * Takes answers that other processes left for a run, in order, while this process drives it. What
 * became of each is told only when it is stored: an answer that was taken is never lost.
 */
export function watchInbox({ runId, store, journal, answer, waiting }: InboxOptions): Inbox {
  let isLooking = false;
  let isStopped = false;
  const take = ({ id, event }: InboxEntry) => {
    const known = toPublicEvent(event);
    journal.settle(id, known === null ? refuse('not_an_answer') : answer(known));
  };
  for (const entry of waiting) take(entry);
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      // What was taken is settled in the store before the store is asked again.
      await journal.ready();
      for (const entry of await store.pending(runId)) {
        // The run was let go of meanwhile: the answer waits for its next driver.
        if (isStopped) return;
        take(entry);
        await journal.ready();
      }
    } catch {
      // A store that fails here fails the journal's next write too, and that ends the run.
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(look, INTERVAL);
  void look();
  return {
    stop: () => {
      isStopped = true;
      clearInterval(timer);
    },
    idle: (isIdle) => (isIdle ? timer.unref() : timer.ref()),
  };
}

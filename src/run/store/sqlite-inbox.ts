import type { PublicEvent } from '../../../machines/agent/agent.types.ts';
import type { AnswerResult } from '../run.types.ts';
import type { Connection } from './sqlite-connection.ts';
import { INBOX_COLUMNS, toInboxEntry, toResult } from './sqlite-rows.ts';
import type { InboxEntry, SettledAnswer } from './store.types.ts';

/** The answers that were posted to the runs of a database; each of these within a transaction. */
export interface SqliteInbox {
  /** Adds an answer and gives its id. */
  add(runId: string, event: PublicEvent): number;
  /** The answers of a run that wait, oldest first. */
  waiting(runId: string): readonly InboxEntry[];
  /** What became of an answer; null while it waits, or where there is none. */
  resultOf(id: number): AnswerResult | null;
  /** Says what became of an answer of a run, unless that was said before. */
  settle(runId: string, answer: SettledAnswer): void;
  /** Says the same of all answers of a run that wait. */
  settleAll(runId: string, result: AnswerResult): void;
  /** Deletes the answers of a run. */
  remove(runId: string): void;
}

/** Works on the table `inbox`. */
export function sqliteInbox({ get, all, run }: Connection): SqliteInbox {
  return {
    add: (runId, event) =>
      run('INSERT INTO inbox (run_id, event) VALUES (?, ?)', runId, JSON.stringify(event)).added,
    waiting: (runId) =>
      all(
        `SELECT ${INBOX_COLUMNS} FROM inbox WHERE run_id = ? AND result IS NULL ORDER BY inbox.id`,
        runId,
      ).map((row) => toInboxEntry(row, runId)),
    resultOf: (id) => toResult(get(`SELECT ${INBOX_COLUMNS} FROM inbox WHERE id = ?`, id)),
    settle: (runId, { id, result }) => {
      run(
        'UPDATE inbox SET result = ? WHERE id = ? AND run_id = ? AND result IS NULL',
        JSON.stringify(result),
        id,
        runId,
      );
    },
    settleAll: (runId, result) => {
      run(
        'UPDATE inbox SET result = ? WHERE run_id = ? AND result IS NULL',
        JSON.stringify(result),
        runId,
      );
    },
    remove: (runId) => {
      run('DELETE FROM inbox WHERE run_id = ?', runId);
    },
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { toErrorData } from '../../../machines/vocabulary/errors.ts';
import { breather } from '../../run/breather.ts';
import { type EventStream, openStream } from './event-stream.ts';
import type { RunLister } from './list-runs.ts';
import { toRunState } from './run-state.ts';
import type { RunWatcher } from './watch-runs.ts';

/** Milliseconds between two looks into the store: any process may drive a run. */
const LOOK_EVERY = 200;

/** Serves what happens while it happens. */
export interface Live {
  runs(request: IncomingMessage, response: ServerResponse): void;
  /** `after`: the last record the reader has. `withList`: the list of runs too. */
  run(
    request: IncomingMessage,
    response: ServerResponse,
    of: { runId: string; after: number; withList: boolean },
  ): void;
  /** Ends every stream. */
  close(): void;
}

/** Looks once and sends what is new. */
type Look = (stream: EventStream, hadProblem: boolean) => Promise<void>;

function toProblem(thrown: unknown): string {
  const { code, message } = toErrorData(thrown, 'store_failed');
  return JSON.stringify({ code, message });
}

export function createLive(watcher: RunWatcher, list: RunLister): Live {
  const open = new Set<EventStream>();

  const stream = (request: IncomingMessage, response: ServerResponse, looks: readonly Look[]) => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const sent = openStream(request, response, () => {
      open.delete(sent);
      if (timer !== null) clearTimeout(timer);
    });
    open.add(sent);
    const problems = looks.map(() => '');
    const again = async () => {
      for (const [index, look] of looks.entries()) {
        const before = problems[index] ?? '';
        problems[index] = await look(sent, before !== '').then(() => '', toProblem);
        const problem = problems[index] ?? '';
        if (problem !== '' && problem !== before)
          sent.send({ event: 'problem', data: JSON.parse(problem) });
      }
      if (sent.isOpen) timer = setTimeout(again, LOOK_EVERY);
    };
    again();
  };

  const lookAtList = (): Look => {
    let last = '';
    return async (sent) => {
      const runs = await list({ status: null, search: '' });
      const text = JSON.stringify(runs);
      if (text !== last) sent.send({ event: 'runs', data: runs });
      last = text;
    };
  };
  const lookAtRun = (runId: string, after: number): Look => {
    let next = after + 1;
    let last = '';
    return async (sent, hadProblem) => {
      const { folded, ...standing } = await watcher.look(runId);
      const { rows, last: step } = folded;
      const breathe = breather();
      for (; next < rows.length; next += 1) {
        sent.send({ event: 'step', id: next, data: rows[next] });
        await breathe();
      }
      if (step === null) return;
      // The fold is kept, so the same step and standing give the same state: compare those.
      const key = JSON.stringify([step.record.seq, standing]);
      // It is told again after a problem, which is over then.
      if (key !== last || hadProblem) sent.send({ event: 'run', data: toRunState(step, standing) });
      last = key;
    };
  };

  return {
    runs: (request, response) => stream(request, response, [lookAtList()]),
    run: (request, response, { runId, after, withList }) =>
      stream(request, response, [...(withList ? [lookAtList()] : []), lookAtRun(runId, after)]),
    close() {
      for (const sent of [...open]) sent.close();
    },
  };
}

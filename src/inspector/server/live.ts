import type { IncomingMessage, ServerResponse } from 'node:http';
import { toErrorData } from '../../../machines/vocabulary/errors.ts';
import { type EventStream, openStream } from './event-stream.ts';
import type { RunLister } from './list-runs.ts';
import { toRunState } from './run-state.ts';
import { toRow } from './step-rows.ts';
import type { RunWatcher } from './watch-runs.ts';

/** Milliseconds between two looks into the store: any process may drive a run. */
const LOOK_EVERY = 200;

/** Serves what happens while it happens. */
export interface Live {
  runs(request: IncomingMessage, response: ServerResponse): void;
  /** `after`: the last record the reader has. */
  run(
    request: IncomingMessage,
    response: ServerResponse,
    of: { runId: string; after: number },
  ): void;
  /** Ends every stream. */
  close(): void;
}

export function createLive(watcher: RunWatcher, list: RunLister): Live {
  const open = new Set<EventStream>();

  const stream = (
    request: IncomingMessage,
    response: ServerResponse,
    look: (stream: EventStream) => Promise<void>,
  ) => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const sent = openStream(request, response, () => {
      open.delete(sent);
      if (timer !== null) clearTimeout(timer);
    });
    open.add(sent);
    let lastProblem = '';
    const again = async () => {
      try {
        await look(sent);
        lastProblem = '';
      } catch (thrown) {
        const { code, message } = toErrorData(thrown, 'store_failed');
        if (message !== lastProblem) sent.send({ event: 'problem', data: { code, message } });
        lastProblem = message;
      }
      if (sent.isOpen) timer = setTimeout(again, LOOK_EVERY);
    };
    again();
  };

  return {
    runs(request, response) {
      let last = '';
      stream(request, response, async (sent) => {
        const runs = await list({ status: null, search: '' });
        const text = JSON.stringify(runs);
        if (text !== last) sent.send({ event: 'runs', data: runs });
        last = text;
      });
    },
    run(request, response, { runId, after }) {
      let next = after + 1;
      let last = '';
      stream(request, response, async (sent) => {
        const { folded, ...standing } = await watcher.look(runId);
        const { steps } = folded;
        for (; next < steps.length; next += 1)
          sent.send({ event: 'step', id: next, data: toRow(steps, next) });
        const step = steps.at(-1);
        if (step === undefined) return;
        const state = toRunState(step, standing);
        // The fold is kept, so the same step and standing give the same state: compare those.
        const key = JSON.stringify([step.record.seq, standing]);
        if (key !== last) sent.send({ event: 'run', data: state });
        last = key;
      });
    },
    close() {
      for (const sent of [...open]) sent.close();
    },
  };
}

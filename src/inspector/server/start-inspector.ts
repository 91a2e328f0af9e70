import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import type { RunStore } from '../../run/store/store.types.ts';
import { closeGently } from './close-gently.ts';
import type { RestoreRun } from './going-on.ts';
import { createInspectorHandler } from './handler.ts';

/** Only this machine may connect. */
const LOOPBACK = '127.0.0.1';

export interface StartInspectorOptions {
  readonly store: RunStore;
  /** Default any free one. */
  readonly port?: number;
  /** See `InspectorHandlerOptions`. */
  readonly restore?: RestoreRun;
  readonly now?: () => number;
}

export interface Inspector {
  /** With the token in the fragment, which no server ever sees. Whoever has it may approve. */
  readonly url: string;
  /** The same, opening the page at a run. */
  urlOf(runId: string): string;
  /** Lets go of the runs it took up, each as it stands, and ends. */
  close(): Promise<void>;
}

/**
 * Serves the inspector page on this machine alone, with a new token.
 * @throws AgentHubError `port_in_use`, `page_not_built`.
 */
export async function startInspector(options: StartInspectorOptions): Promise<Inspector> {
  const { store, port = 0, restore, now } = options;
  const token = randomBytes(32).toString('base64url');
  const server = createServer({ requestTimeout: 30_000 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      const message = isTaken
        ? `Port ${port} on ${LOOPBACK} is in use. Choose another, or none for any free one.`
        : `The inspector cannot listen on ${LOOPBACK}:${port}: ${error.message}`;
      reject(new AgentHubError(isTaken ? 'port_in_use' : 'cannot_listen', message, {}, error));
    });
    server.listen(port, LOOPBACK, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const host = `${LOOPBACK}:${bound}`;
  const handler = (() => {
    try {
      return createInspectorHandler({
        store,
        token,
        hosts: [host],
        ...(restore && { restore }),
        ...(now && { now }),
      });
    } catch (thrown) {
      server.close();
      throw thrown;
    }
  })();
  server.on('request', handler);
  const url = `http://${host}/#token=${token}`;
  return {
    url,
    urlOf: (runId) => `${url}&run=${encodeURIComponent(runId)}`,
    close: async () => {
      await handler.close();
      await closeGently(server);
    },
  };
}

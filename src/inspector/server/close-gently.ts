import type { Server } from 'node:http';

/** Milliseconds that answers under way have to be sent when a server closes. */
const GRACE = 5_000;

/** Closes a server: what was asked is answered first, such as the decision that ended a run. */
export function closeGently(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), 10);
    const late = setTimeout(() => server.closeAllConnections(), GRACE);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(late);
      resolve();
    });
  });
}

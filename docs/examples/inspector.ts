import { createServer } from 'node:http';
import type { RunStore } from 'agenthub';
import { createInspectorHandler } from 'agenthub/inspector';

/** The inspector on a host's own server, for the people the host knows. */
export function mountInspector(store: RunStore, whoIs: (cookie: string) => Promise<string | null>) {
  // #region
  const inspector = createInspectorHandler({
    store,
    hosts: ['agents.example.com'],
    basePath: '/inspector',
    // Who it is goes into the log with every answer; null refuses.
    authorize: (request) => whoIs(request.headers.cookie ?? ''),
  });
  return createServer((request, response) => {
    if (request.url?.startsWith('/inspector/')) return inspector(request, response);
    response.writeHead(404).end();
  });
  // #endregion
}

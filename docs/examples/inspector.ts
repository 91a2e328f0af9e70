import { createServer } from 'node:http';
import type { Agent, RunStore } from 'agenthub';
import { createInspectorHandler } from 'agenthub/inspector';

/** The inspector on a host's own server, for the people the host knows. */
export function mountInspector(
  { store, agent }: { store: RunStore; agent: Agent },
  whoIs: (cookie: string) => Promise<string | null>,
) {
  const inspector = createInspectorHandler({
    store,
    hosts: ['agents.example.com'],
    basePath: '/inspector',
    // Who it is goes into the log with every answer; null refuses.
    authorize: (request) => whoIs(request.headers.cookie ?? ''),
    // Runs that nobody drives can go on here.
    restore: agent.restore,
  });
  return createServer((request, response) => {
    if (request.url?.startsWith('/inspector')) return inspector(request, response);
    response.writeHead(404).end();
  });
}

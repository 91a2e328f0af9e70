import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/** Servers that run as children of this process. */
const running = new Set<number>();

/**
 * Sees to it that a server's process does not outlive this one: it is told to end when Node exits.
 * (Its input closes then as well; not every server ends with that.)
 */
export function endWithUs(transport: StdioClientTransport): void {
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    const { pid } = transport;
    if (pid === null) return;
    if (running.size === 0) process.once('exit', endAll);
    running.add(pid);
    const { onclose } = transport;
    transport.onclose = () => {
      running.delete(pid);
      if (running.size === 0) process.off('exit', endAll);
      onclose?.();
    };
  };
}

function endAll(): void {
  for (const pid of running) {
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // It has ended already.
    }
  }
}

import { existsSync } from 'node:fs';
import { printableLine } from '../../../machines/vocabulary/printable.ts';
import { boundedFetch, MOST_ANSWER_BYTES } from './answers.ts';
import { endWithUs } from './child-processes.ts';
import { explainFailure, httpStatus } from './failures.ts';
import type { Sdk } from './load-sdk.ts';
import type { McpEndpoint, McpProcess, McpServer } from './server-config.ts';

/** A transport, what its failures mean, what its server said beside the protocol, and how to leave. */
export interface Link {
  readonly transport: Parameters<InstanceType<Sdk['Client']>['connect']>[0];
  explain(error: unknown): string;
  said(): string;
  leave(): Promise<void>;
}

/** How a server is linked to. */
export interface LinkOptions {
  readonly server: string;
  readonly sdk: Sdk;
  readonly onStderr: ((server: string, text: string) => void) | undefined;
}

/** A way to a server, not yet connected. */
export function linkTo(config: McpServer, options: LinkOptions): Link {
  return 'command' in config ? toProcess(config, options) : toEndpoint(config, options);
}

function toProcess(
  { command, args = [], env, cwd }: McpProcess,
  { server, sdk, onStderr }: LinkOptions,
): Link {
  const transport = new sdk.StdioClientTransport({
    command,
    args: [...args],
    // Piped: a server's words must not reach our terminal as they are.
    stderr: 'pipe',
    maxBufferSize: MOST_ANSWER_BYTES,
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
  });
  endWithUs(transport);
  let last = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    const text = chunk.toString('utf8');
    last = (last + text).slice(-2_000);
    onStderr?.(server, text);
  });
  return {
    transport,
    explain: (error) => {
      const isMissing = (error as { code?: unknown } | null)?.code === 'ENOENT';
      if (isMissing && cwd !== undefined && !existsSync(cwd))
        return `its folder ${printableLine(cwd, 200)} does not exist (cwd)`;
      if (isMissing) return `the command ${printableLine(command, 200)} was not found`;
      return `the command ${printableLine(command, 200)} gave no server: ${explainFailure(error)}`;
    },
    said: () => (last.trim() === '' ? '' : `. It said: ${printableLine(last.slice(-500), 500)}`),
    leave: async () => {},
  };
}

function toEndpoint({ url, headers }: McpEndpoint, { sdk }: LinkOptions): Link {
  const at = new URL(url);
  const transport = new sdk.StreamableHTTPClientTransport(at, {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch,
  });
  return {
    // Its `sessionId` is declared as a getter that may give undefined.
    transport,
    explain: (error) => {
      const advice = ADVICE[httpStatus(error) ?? 0] ?? '';
      return `${at.origin}${at.pathname}: ${explainFailure(error)}${advice}`;
    },
    said: () => '',
    leave: async () => {
      if (transport.sessionId !== undefined) await transport.terminateSession().catch(() => {});
    },
  };
}

const ADVICE: Readonly<Record<number, string>> = {
  401: '; check its headers, or, where it wants OAuth, connect a client of the SDK of your own and give it to mcpTools',
  403: '; check its headers',
};

import { AgentHubError } from '../../../machines/vocabulary/errors.ts';

/**
 * The SDK's client and its transports, loaded when a server is first connected.
 * @throws AgentHubError `mcp_sdk_missing` where the optional package is not installed.
 */
export async function loadSdk() {
  try {
    const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }] =
      await Promise.all([
        import('@modelcontextprotocol/sdk/client/index.js'),
        import('@modelcontextprotocol/sdk/client/stdio.js'),
        import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
      ]);
    return { Client, StdioClientTransport, StreamableHTTPClientTransport };
  } catch (error) {
    throw new AgentHubError(
      'mcp_sdk_missing',
      'agenthub/mcp needs the MCP SDK, which could not be loaded: npm install @modelcontextprotocol/sdk',
      undefined,
      error,
    );
  }
}

export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

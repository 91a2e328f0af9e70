/** Tools of Model Context Protocol servers, for an agent. Needs `@modelcontextprotocol/sdk`. */
export type { McpClient } from './call-tool.ts';
export { type ConnectMcpOptions, connectMcp, type McpConnection } from './connect-mcp.ts';
export {
  type McpProblem,
  type McpTools,
  type McpToolsOptions,
  mcpTools,
} from './mcp-tools.ts';
export type { McpEndpoint, McpProcess, McpServer } from './server-config.ts';

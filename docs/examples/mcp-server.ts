import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

/** The server of mcp.ts: what is in stock. */
const stock = new Map([['tea', 5]]);
const count = (item: string) => ({
  content: [{ type: 'text' as const, text: `${item}: ${stock.get(item) ?? 0}` }],
});

const server = new McpServer({ name: 'stock', version: '1.0.0' });
server.registerTool(
  'count',
  { description: 'How many of an item are in stock.', inputSchema: { item: z.string() } },
  ({ item }) => count(item),
);
server.registerTool(
  'remove',
  {
    description: 'Takes some of an item from stock.',
    inputSchema: { item: z.string(), amount: z.int().positive() },
  },
  ({ item, amount }) => {
    stock.set(item, (stock.get(item) ?? 0) - amount);
    return count(item);
  },
);
await server.connect(new StdioServerTransport());

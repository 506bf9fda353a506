import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { McpOptions } from './mcp/mcp-server.ts';
import { createMcpServer } from './mcp/mcp-server.ts';

/** Speaks the Model Context Protocol over standard input and output, until the other side goes or `close` is called. */
export async function serveMcp({
  transport,
  ...options
}: McpOptions & { readonly transport: StdioServerTransport }): Promise<{ close(): Promise<void> }> {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  return serveStdio(() => createMcpServer(options), { transport });
}

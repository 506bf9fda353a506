import type { McpOptions } from './mcp/mcp-server.ts';
import { createMcpServer } from './mcp/mcp-server.ts';

/** Speaks the Model Context Protocol over standard input and output, until the other side goes or `close` is called. */
export async function serveMcp(
  options: McpOptions,
): Promise<{ readonly ended: Promise<void>; close(): Promise<void> }> {
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const transport = new StdioServerTransport();
  const ended = new Promise<void>((resolve) => process.stdin.once('close', resolve).once('end', resolve));
  const { close } = serveStdio(() => createMcpServer(options), { transport });
  return { ended, close };
}

import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { LocalContextOptions } from '../local/local-context.ts';
import { localContexts } from '../local/local-context.ts';
import type { McpOptions } from './mcp-server.ts';
import { createMcpServer } from './mcp-server.ts';

/** Options of a server on standard input and output, which serves one person. */
interface ServeMcpOptions extends Pick<McpOptions, 'log' | 'closing'>, LocalContextOptions {
  readonly transport: StdioServerTransport;
}

/**
 * Serves the Model Context Protocol over standard input and output, until the client disconnects or `close` is called.
 */
export async function serveMcp({
  transport,
  log,
  closing,
  ...options
}: ServeMcpOptions): Promise<{ close(): Promise<void> }> {
  const contextFor = localContexts(options);
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  return serveStdio(() => createMcpServer({ contextFor, log, closing }), { transport });
}

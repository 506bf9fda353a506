import { createDirectReader } from '@millrace/catalog';
import type { Vocabulary } from '@millrace/core';
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { McpOptions } from './mcp/mcp-server.ts';
import { createMcpServer } from './mcp/mcp-server.ts';

/** What a server on standard input and output is made with: it serves one person, whom it may keep waiting. */
interface ServeMcpOptions extends Omit<McpOptions, 'reader'> {
  readonly vocabulary: Vocabulary;
  readonly transport: StdioServerTransport;
}

/** Speaks the Model Context Protocol over standard input and output, until the other side goes or `close` is called. */
export async function serveMcp({
  transport,
  vocabulary,
  ...options
}: ServeMcpOptions): Promise<{ close(): Promise<void> }> {
  const reader = createDirectReader(vocabulary);
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  return serveStdio(() => createMcpServer({ ...options, reader }), { transport });
}

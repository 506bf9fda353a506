// A small MCP server with tools for tests. As a program it speaks over its standard input and output, and writes its
// process id to the file that is its first argument; `createServer` creates the same server for HTTP.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** A server with tools for every kind of answer. */
export function createServer() {
  const server = new McpServer({ name: 'test', version: '1.0.0' });
  server.registerTool(
    'greet',
    { description: 'Greets somebody.', inputSchema: z.object({ name: z.string() }) },
    ({ name }) => text(`Hello ${name}${process.env['MCP_GREETING'] ?? ''}`),
  );
  server.registerTool('fail', { description: 'Fails.' }, () => {
    throw new Error('out of order');
  });
  server.registerTool('show', { description: 'Shows a picture.' }, () => ({
    content: [
      { type: 'text', text: 'a dot' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ],
  }));
  server.registerTool(
    'meta',
    { description: 'Tells the data beside the arguments.', annotations: { readOnlyHint: true } },
    (context) => text(JSON.stringify(context.mcpReq._meta)),
  );
  server.registerTool('hang', { description: 'Takes an hour.' }, async () => {
    await sleep(3_600_000, undefined, { ref: false });
    return text('late');
  });
  return server;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , file] = process.argv;
  if (file !== undefined) writeFileSync(file, String(process.pid));
  await createServer().connect(new StdioServerTransport());
}

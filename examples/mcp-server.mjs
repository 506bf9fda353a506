// An MCP server with one tool, for examples/mcp-tools.yaml. It needs no package: JSON-RPC, one message a line.
import { createInterface } from 'node:readline';

const hours = { Saturday: '9 to 18', Sunday: '10 to 16' };

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'library', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: [
      {
        name: 'hours',
        description: 'Returns the opening hours of a day.',
        inputSchema: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
      },
    ],
  }),
  'tools/call': ({ arguments: { day } }) => ({ content: [{ type: 'text', text: hours[day] ?? 'closed' }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  // Notifications have no id and no answer.
  if (id === undefined) continue;
  const answer = Object.hasOwn(methods, method)
    ? { result: methods[method](params) }
    : { error: { code: -32601, message: `Unknown method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}

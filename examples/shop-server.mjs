// An MCP server of a shop, for examples/refund.yaml. It needs no package: JSON-RPC, one message a line.
import { createInterface } from 'node:readline';

const orders = {
  1001: { order: '1001', item: 'A lamp', paid: 80 },
  1002: { order: '1002', item: 'Two candles', paid: 9 },
};
const order = { type: 'string', description: 'Number of the order.' };

const tools = {
  get_order: {
    description: 'Returns what was bought, and what was paid in euros.',
    inputSchema: { type: 'object', properties: { order }, required: ['order'] },
    annotations: { readOnlyHint: true },
    call: ({ order: number }) => JSON.stringify(orders[number] ?? 'There is no such order.'),
  },
  refund: {
    description: 'Pays money of an order back.',
    inputSchema: {
      type: 'object',
      properties: { order, amount: { type: 'number', description: 'In euros.' } },
      required: ['order', 'amount'],
    },
    annotations: { destructiveHint: true },
    call: ({ order: number, amount }) => `Refunded ${amount} euros of order ${number}.`,
  },
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'shop', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: Object.entries(tools).map(([name, { call: _call, ...tool }]) => ({ name, ...tool })) }),
  'tools/call': ({ name, arguments: given }) => ({ content: [{ type: 'text', text: tools[name].call(given) }] }),
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

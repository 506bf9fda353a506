// An MCP server without dependencies: JSON-RPC, one message a line, over standard input and output.
// Replace it by any other server; https://modelcontextprotocol.io lists many.
import { createInterface } from 'node:readline';

const documents = {
  'Nests of wild bees': 'Three of four wild bees in a city nest in the ground; the others use stems and dead wood.',
  'Food for bees': 'In June bees in a city live on lime trees, later on clover and lavender.',
};

const text = (name, description) => ({
  type: 'object',
  properties: { [name]: { type: 'string', description } },
  required: [name],
});

const tools = [
  { name: 'search', description: 'Finds titles of documents.', inputSchema: text('words', 'Words to search for.') },
  { name: 'read', description: 'Returns the text of a document.', inputSchema: text('title', 'Title of a document.') },
];

const functions = {
  search: ({ words }) => {
    const wanted = words.toLowerCase().split(/\s+/);
    const found = Object.entries(documents).filter((entry) =>
      wanted.some((word) => entry.join(' ').toLowerCase().includes(word)),
    );
    return JSON.stringify(found.map(([title]) => title));
  },
  read: ({ title }) => documents[title] ?? `There is no document "${title}".`,
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'library', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: given }) => ({ content: [{ type: 'text', text: functions[name](given) }] }),
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

// An MCP server over standard input and output that is good up to the list of its tools, and then does what its first
// argument says.
import { createInterface } from 'node:readline';

const [, , deed] = process.argv;
const megabyte = 'x'.repeat(1024 * 1024);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** Writes a text without end, as fast as it is read. */
function flood(start, piece) {
  process.stdout.on('error', () => process.exit());
  process.stdout.write(start);
  const more = () => {
    while (process.stdout.write(piece));
    process.stdout.once('drain', more);
  };
  more();
}

const progress = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } })}\n`;
const ping = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`;

const deeds = {
  line: () => flood('{"jsonrpc":"2.0","id":1,"result":{"tools":["', megabyte),
  lines: () => flood('', progress.repeat(1000)),
  garbage: () => flood('', 'no JSON at all\n'.repeat(1000)),
  objects: () => flood('{"jsonrpc":"2.0","id":1,"result":[', '{},'.repeat(100_000)),
  // It never reads again, so nothing that answers its requests arrives.
  pings() {
    process.stdin.pause();
    flood('', ping.repeat(1000));
  },
};

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'hostile', version: '1' };
    send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') deeds[deed]();
});

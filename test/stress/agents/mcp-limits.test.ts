import { fileURLToPath } from 'node:url';
import type { McpConnection, McpServer } from '@millrace/core';
import { mcpServers } from '@millrace/worker';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HostileAnswer, HostileMcp } from '../../support/fakes/hostile-mcp.ts';
import { events, json, resultOf, startHostileMcp } from '../../support/fakes/hostile-mcp.ts';
import { flood } from '../../support/http/flood.ts';
import { memoryGrowth } from '../../support/processes/memory-growth.ts';

/*
 * Servers that send without end, or more than a worker can hold. Each of them would send 700 MB, of which it gets rid of as
 * much as the limits allow.
 */

const mebibyte = 1024 * 1024;
const enormous = 700 * 1_000_000;
const signal = new AbortController().signal;

function connect(server: McpServer): McpConnection {
  const servers = mcpServers({ secret: () => undefined, workspaces: '/workspaces' }, { node: 'A', fetch, signal });
  onTestFinished(() => servers.close());
  return servers.connect(server);
}

interface Remote extends Pick<HostileMcp, 'received'> {
  readonly connection: McpConnection;
}

async function remote(method: string, answer: HostileAnswer, timeoutSeconds = 20): Promise<Remote> {
  const server = await startHostileMcp(method, answer);
  onTestFinished(() => server.close());
  const { url, received } = server;
  return { connection: connect({ type: 'remote', url, headers: {}, timeoutSeconds }), received };
}

const tooLarge = (how: string) => ({
  code: 'MCP_REPLY_TOO_LARGE',
  transient: false,
  message: expect.stringContaining(how),
});

const call = (connection: McpConnection, emit: (text: string) => void = () => undefined) =>
  connection.call('look', {}, { signal, emit });

describe('an MCP server at a URL', () => {
  const letters = 'x'.repeat(mebibyte);
  const result = '{"jsonrpc":"2.0","id":1,"result":[';
  it.each([
    { what: 'JSON', headers: json, start: `${result}"`, piece: letters, how: 'is larger than 16 MiB' },
    { what: 'one event', headers: events, start: `data: ${result}"`, piece: letters, how: 'is larger than 16 MiB' },
    {
      what: 'one event of lines',
      headers: events,
      start: '',
      piece: `data: ${'x'.repeat(1000)}\n`.repeat(1000),
      how: 'is larger than 16 MiB',
    },
    {
      what: 'large events',
      headers: events,
      start: '',
      piece: `: ${letters.repeat(8)}\n\n`,
      how: 'is a stream of more than 128 MiB',
    },
    {
      what: 'small events',
      headers: events,
      start: '',
      piece: ':\n\n'.repeat(10_000),
      how: 'is a stream of more than 50,000 messages',
    },
    { what: 'objects', headers: json, start: result, piece: '{},'.repeat(10_000), how: 'has more than 100,000 values' },
    { what: 'nesting', headers: json, start: '', piece: '['.repeat(10_000), how: 'nested more than 100 deep' },
  ])('lists its tools only up to the limits of a reply: $what', async ({ headers, start, piece, how }) => {
    let sent = 0;
    const { connection } = await remote('tools/list', async (response) => {
      sent = await flood(response.writeHead(200, headers), { start, piece, bytes: enormous });
    });

    const { growth, error } = await memoryGrowth(() => connection.tools());

    expect(error).toMatchObject(tooLarge(how));
    expect(growth).toBeLessThan(8 * 64 * mebibyte);
    expect(sent).toBeLessThan(160 * mebibyte);
  });

  it.each(['initialize', 'tools/call'])('answers %s only up to the limits of a reply', async (method) => {
    const { connection } = await remote(method, async (response) => {
      await flood(response.writeHead(200, json), { start: '["', piece: 'x'.repeat(mebibyte), bytes: enormous });
    });

    await expect(call(connection)).rejects.toMatchObject(tooLarge('is larger than 16 MiB'));
  });

  it('is listened to no more after it has exceeded a limit', async () => {
    const { connection, received } = await remote('tools/call', async (response) => {
      await flood(response.writeHead(200, json), { start: '["', piece: 'x'.repeat(mebibyte), bytes: enormous });
    });
    await expect(call(connection)).rejects.toMatchObject({ code: 'MCP_REPLY_TOO_LARGE' });
    const before = received.length;

    await expect(call(connection)).rejects.toMatchObject({ code: 'MCP_REPLY_TOO_LARGE' });
    expect(received.slice(before).filter(({ method }) => method === 'tools/call')).toEqual([]);
  });

  it('refuses a request with a page of which an error shows the beginning', async () => {
    const { connection } = await remote('tools/list', (response) => {
      response.writeHead(400).end('no '.repeat(mebibyte));
    });

    const error = await connection.tools().catch((one: unknown) => one);

    expect(error).toMatchObject({ code: 'MCP_UNREACHABLE', message: expect.stringContaining('no no no') });
    expect(String(error).length).toBeLessThan(1000);
  });

  it('has headers up to the limit of the client', async () => {
    const { connection } = await remote('tools/call', (response) => {
      response.writeHead(200, { ...json, 'x-large': 'x'.repeat(mebibyte) }).end('{}');
    });

    await expect(call(connection)).rejects.toThrow('fetch failed');
  });

  it('answers within its timeout, however slowly it sends', async () => {
    const { connection } = await remote(
      'tools/call',
      (response) => {
        response.writeHead(200, events);
        const timer = setInterval(() => response.write(':\n\n'), 20);
        response.once('close', () => clearInterval(timer));
      },
      0.2,
    );

    await expect(call(connection)).rejects.toThrow('timed out');
  });

  it.each([
    { description: 'x', pages: 100, how: 'lists its tools on more than 100 pages' },
    { description: letters.slice(0, 300_000), pages: 4, how: 'describes its tools in more than 1,000,000 characters' },
  ])('lists its tools up to the limits of a list: $how', async ({ description, pages, how }) => {
    let page = 0;
    const { connection } = await remote('tools/list', (response, request) => {
      page++;
      const tools = [{ name: `t${page}`, description, inputSchema: { type: 'object' } }];
      response.writeHead(200, json).end(resultOf(request, { tools, nextCursor: String(page) }));
    });

    await expect(connection.tools()).rejects.toMatchObject(tooLarge(how));
    expect(page).toBe(pages);
  });

  it('has a limited number of tools', async () => {
    const { connection } = await remote('tools/list', (response, request) => {
      const tools = Array.from({ length: 1001 }, (_, n) => ({ name: `t${n}`, inputSchema: { type: 'object' } }));
      response.writeHead(200, json).end(resultOf(request, { tools }));
    });

    await expect(connection.tools()).rejects.toMatchObject(tooLarge('has more than 1,000 tools'));
  });

  it('lists its tools from several pages, and once if it does not know pages', async () => {
    const { connection } = await remote('tools/list', (response, request) => {
      const nth = request.params?.['cursor'] === undefined ? 1 : 2;
      const tools = [{ name: `t${nth}`, inputSchema: { type: 'object' } }];
      response.writeHead(200, json).end(resultOf(request, { tools, nextCursor: 'same' }));
    });

    expect((await connection.tools()).map(({ name }) => name)).toEqual(['t1', 't2']);
  });

  it('tells its progress in texts of a limited length', async () => {
    const told: string[] = [];
    const { connection } = await remote('tools/call', (response, { id }) => {
      const params = { progressToken: id, progress: 1, message: 'x'.repeat(mebibyte) };
      const progress = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
      response.writeHead(200, events).write(`data: ${progress}\n\n`);
      response.end(`data: ${resultOf({ id: id ?? 0 }, { content: [] })}\n\n`);
    });

    expect(await call(connection, (text) => told.push(text))).toEqual({ content: '' });
    expect(told.map(({ length }) => length)).toEqual([2001]);
  });

  it.each(['elicitation/create', 'sampling/createMessage', 'ping'])(
    'sends a limited number of requests of its own: %s',
    async (method) => {
      const one = (id: number) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, method, params: {} })}\n\n`;
      const piece = Array.from({ length: 1000 }, (_, id) => one(id)).join('');
      const { connection } = await remote('tools/call', async (response) => {
        await flood(response.writeHead(200, events), { start: '', piece, bytes: enormous });
      });

      await expect(call(connection)).rejects.toMatchObject(tooLarge('sends more than 100 requests at a time'));
    },
  );

  const text = (words: string) => ({ type: 'text', text: words });
  it.each([
    { result: { content: [text('x'.repeat(1_000_001))] }, how: 'the result has 1000001 characters' },
    { result: { content: Array(1001).fill(text('')) }, how: 'the result has 1001 parts' },
    // Indentation makes it too long.
    {
      result: { content: [], structuredContent: { rows: Array(30_000).fill({ a: 1, b: 2 }) } },
      how: 'characters; at most 1000000 are allowed',
    },
  ])('returns an error for the model when $how', async ({ result: large, how }) => {
    const { connection } = await remote('tools/call', (response, request) => {
      response.writeHead(200, json).end(resultOf(request, large));
    });

    const error = await call(connection).catch((one: unknown) => one);

    expect(error).toMatchObject({ message: expect.stringContaining(how) });
    expect(error).not.toHaveProperty('code');
  });
});

describe('an MCP server that is started', () => {
  const program = fileURLToPath(new URL('../../support/fakes/hostile-mcp-server.mjs', import.meta.url));
  const local = (deed: string): McpServer => ({
    type: 'local',
    command: process.execPath,
    args: [program, deed],
    env: {},
    inheritEnv: true,
    startupTimeoutSeconds: 60,
  });

  it.each([
    ['line', 'is larger than 16 MiB'],
    ['lines', 'is a stream of more than 50,000 messages'],
    ['garbage', 'is a stream of more than 50,000 messages'],
    ['objects', 'has more than 100,000 values'],
    ['pings', 'sends more than 100 requests at a time'],
  ])('lists its tools only up to the limits of a reply: %s', async (deed, how) => {
    const connection = connect(local(deed));

    const { growth, error } = await memoryGrowth(() => connection.tools());

    expect(error).toMatchObject(tooLarge(how));
    expect(growth).toBeLessThan(8 * 64 * mebibyte);
  });
});

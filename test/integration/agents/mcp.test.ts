import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as bodyOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { McpConnection, McpServer } from '@millrace/core';
import type { McpServers } from '@millrace/worker';
import { mcpServers } from '@millrace/worker';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
// biome-ignore lint/correctness/useImportExtensions: a program for node, with its types in a file beside it.
import { createServer } from '../../support/fakes/mcp-server.mjs';

const program = fileURLToPath(new URL('../../support/fakes/mcp-server.mjs', import.meta.url));
const signal = new AbortController().signal;
const around = { signal, tell: () => undefined };
const secret = (name: string) => (name === 'TOKEN' ? 'open sesame' : undefined);

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function open(server: McpServer): { servers: McpServers; connection: McpConnection } {
  const servers = mcpServers({ secret, workspaces: '/workspaces' }, { node: 'A', fetch, signal });
  closing.push(() => servers.close());
  return { servers, connection: servers.connect(server) };
}

const local = (more: Partial<Extract<McpServer, { type: 'local' }>> = {}): McpServer => ({
  type: 'local',
  command: process.execPath,
  args: [program],
  env: {},
  inheritEnv: true,
  startupTimeoutSeconds: 20,
  ...more,
});

/** The same server over HTTP, and the headers that it was asked with. */
async function serve(): Promise<{ url: string; tokens: Set<string | undefined> }> {
  const handler = createMcpHandler(() => createServer());
  const tokens = new Set<string | undefined>();
  const http = createHttpServer(async (request, response) => {
    tokens.add(request.headers['authorization']);
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    );
    const answer = await handler.fetch(
      new Request(`http://localhost${request.url}`, {
        method: request.method ?? 'GET',
        headers,
        ...(body === undefined ? {} : { body }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  // A server that listens on a port has an address with one.
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, tokens };
}

describe('an MCP server that is started', () => {
  it('provides its tools with their parameters', async () => {
    const { connection } = open(local());

    const tools = await connection.tools();

    expect(tools.map(({ name }) => name)).toEqual(['greet', 'fail', 'show', 'hang']);
    expect(tools[0]).toMatchObject({
      description: 'Greets somebody.',
      parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
  });

  it('returns texts and images', async () => {
    const { connection } = open(local());

    expect(await connection.call('greet', { name: 'Ann' }, around)).toEqual({ content: 'Hello Ann' });
    expect(await connection.call('show', {}, around)).toMatchObject({
      content: [
        { type: 'text', text: 'a dot' },
        { type: 'image', attachment: { mimeType: 'image/png', size: 3, uri: 'data:image/png;base64,AAAA' } },
      ],
    });
  });

  it('reports itself when a tool has failed', async () => {
    const { connection } = open(local());

    expect(await connection.call('fail', {}, around)).toEqual({ content: 'out of order', failed: true });
  });

  it('gets the variables that the workflow names, including secrets', async () => {
    const { connection } = open(local({ env: { MCP_GREETING: ', ${TOKEN}' } }));

    expect(await connection.call('greet', { name: 'Ann' }, around)).toEqual({ content: 'Hello Ann, open sesame' });
  });

  it('has ended when the activation has', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'millrace-mcp-'));
    closing.push(() => rm(directory, { recursive: true }));
    const { servers, connection } = open(local({ args: [program, join(directory, 'pid')] }));
    await connection.tools();
    const pid = Number(await readFile(join(directory, 'pid'), 'utf8'));

    await servers.close();

    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('is called no longer than the timeout', async () => {
    const { connection } = open(local());
    await connection.tools();

    await expect(connection.call('hang', {}, { ...around, signal: AbortSignal.timeout(100) })).rejects.toThrow();
  });

  it('is unreachable when its command does not exist', async () => {
    const { connection } = open(local({ command: 'no-such-program' }));

    await expect(connection.tools()).rejects.toMatchObject({ code: 'MCP_UNREACHABLE', transient: true });
  });

  it('is unreachable when it does not respond in time', async () => {
    const { connection } = open(local({ args: ['-e', 'setInterval(() => {}, 1000)'], startupTimeoutSeconds: 0.2 }));

    await expect(connection.tools()).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });
  });
});

describe('an MCP server that is a command', () => {
  it.each([
    ['its path', { command: '/workspaces/run_1/code_workspace/server' }],
    ['its directory', { cwd: '/workspaces/run_1' }],
    ['its path from its directory', { command: '../workspaces/run_1/server', cwd: '/tmp' }],
  ])('is not started from a workspace, by %s', async (_what, more) => {
    const { connection } = open(local(more));

    await expect(connection.tools()).rejects.toMatchObject({ code: 'SANDBOX_REQUIRED' });
  });

  it.each([
    ['a link', (alias: string) => local({ command: join(alias, 'run_1/server') })],
    ['its PATH', (alias: string) => local({ command: 'server', env: { PATH: `/usr/bin:${alias}/run_1` } })],
  ])('is not started from a workspace that it names by %s', async (_what, from) => {
    const workspaces = await mkdtemp(join(tmpdir(), 'millrace-workspaces-'));
    const alias = `${workspaces}-alias`;
    await symlink(workspaces, alias);
    onTestFinished(() => rm(alias));
    onTestFinished(() => rm(workspaces, { recursive: true }));
    const servers = mcpServers({ secret, workspaces }, { node: 'A', fetch, signal });

    await expect(servers.connect(from(alias)).tools()).rejects.toMatchObject({ code: 'SANDBOX_REQUIRED' });
  });

  it.each([
    ['an argument', { args: ['x\0y'] }],
    ['a variable', { env: { A: 'x\0y' } }],
  ])('is not started with a NUL character in %s', async (_what, more) => {
    const { connection } = open(local(more));

    await expect(connection.tools()).rejects.toMatchObject({ code: 'PROGRAM_ARGUMENT_INVALID' });
  });
});

describe('an MCP server at a URL', () => {
  const remote = (url: string, headers: Record<string, string> = {}): McpServer => ({
    type: 'remote',
    url,
    headers,
    timeoutSeconds: 5,
  });

  it('is called with the headers of the workflow', async () => {
    const { url, tokens } = await serve();
    const { connection } = open(remote(url, { Authorization: 'Bearer ${TOKEN}' }));

    expect(await connection.tools()).toHaveLength(4);
    expect(await connection.call('greet', { name: 'Ann' }, around)).toEqual({ content: 'Hello Ann' });
    expect([...tokens]).toEqual(['Bearer open sesame']);
  });

  it('needs the secrets that its headers name', async () => {
    const { connection } = open(remote('http://127.0.0.1:9/mcp', { Authorization: '${MISSING}' }));

    await expect(connection.tools()).rejects.toMatchObject({ code: 'SECRET_MISSING' });
  });

  it('is unreachable when nothing listens at its address', async () => {
    const { connection } = open(remote('http://127.0.0.1:9/mcp'));

    await expect(connection.tools()).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });
  });
});

describe('a reply of an MCP server', () => {
  const mebibyte = 1024 * 1024;
  const tool = (name: string, description = '') => ({ name, description, inputSchema: { type: 'object' } });

  /** Serves the protocol by hand: `list` writes the response to a request for tools. */
  async function serveList(list: (id: unknown, response: ServerResponse) => void): Promise<string> {
    const http = createHttpServer(async (request, response) => {
      const { id, method } = request.method === 'POST' ? JSON.parse(await bodyOf(request)) : { id: 0, method: '' };
      if (method === 'tools/list') return list(id, response);
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'large', version: '1' },
      };
      response.writeHead(method === 'initialize' ? 200 : 202, { 'content-type': 'application/json' });
      response.end(method === 'initialize' ? JSON.stringify({ jsonrpc: '2.0', id, result }) : '');
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    closing.push(async () => {
      http.closeAllConnections();
      http.close();
    });
    const { port } = http.address() as AddressInfo; // it listens on a port
    return `http://127.0.0.1:${port}/mcp`;
  }

  /** Writes 700 MiB, as long as somebody reads them. */
  function flood(response: ServerResponse, part: string): void {
    let rest = 700;
    const write = () => {
      while (rest-- > 0 && !response.destroyed) if (!response.write(part)) return void response.once('drain', write);
      response.end();
    };
    write();
  }

  it.each<[string, string, (id: unknown, response: ServerResponse) => void]>([
    ['one body', 'application/json', (_id, response) => flood(response, ' '.repeat(mebibyte))],
    [
      'one event',
      'text/event-stream',
      (_id, response) => {
        response.write('data: "');
        flood(response, 'x'.repeat(mebibyte));
      },
    ],
    [
      'many events',
      'text/event-stream',
      (_id, response) =>
        flood(
          response,
          `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(mebibyte) } })}\n\n`,
        ),
    ],
    [
      'many tools',
      'application/json',
      (id, response) =>
        response.end(
          JSON.stringify({
            jsonrpc: '2.0',
            id,
            result: { tools: Array.from({ length: 1001 }, (_, at) => tool(`t${at}`)) },
          }),
        ),
    ],
    [
      'long descriptions',
      'application/json',
      (id, response) =>
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [tool('a', 'x'.repeat(5 * mebibyte))] } })),
    ],
    [
      'endless pages',
      'application/json',
      (id, response) =>
        response.end(
          JSON.stringify({
            jsonrpc: '2.0',
            id,
            result: { tools: [tool(`t${Math.random()}`)], nextCursor: String(Math.random()) },
          }),
        ),
    ],
  ])('is not read beyond its limit: %s', async (_what, type, list) => {
    const url = await serveList((id, response) => {
      response.writeHead(200, { 'content-type': type });
      list(id, response);
    });
    const { connection } = open({ type: 'remote', url, headers: {}, timeoutSeconds: 20 });
    const before = process.memoryUsage().rss;

    await expect(connection.tools()).rejects.toMatchObject({ code: 'MCP_REPLY_TOO_LARGE' });
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * mebibyte);
  });

  it('is not read beyond its limit from a command, and the next one is', async () => {
    const flooding = `process.stdin.once('data', () => { const part = 'x'.repeat(${mebibyte}); let rest = 700;
      const write = () => { while (rest-- > 0) if (!process.stdout.write(part)) return process.stdout.once('drain', write); }; write(); })`;
    const { connection } = open(local({ args: ['-e', flooding] }));

    await expect(connection.tools()).rejects.toMatchObject({ code: 'MCP_REPLY_TOO_LARGE' });
    expect(await open(local()).connection.tools()).toHaveLength(4);
  });
});

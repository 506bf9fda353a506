import { readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpConnection, McpServer } from '@millrace/core';
import { CallLost } from '@millrace/core';
import type { McpServers } from '@millrace/worker';
import { mcpServers } from '@millrace/worker';
import { describe, expect, it, onTestFinished } from 'vitest';
// biome-ignore lint/correctness/useImportExtensions: a program for node, with its types in a file beside it.
import { createServer } from '../../support/fakes/mcp-server.mjs';
import { directoryOfTest } from '../../support/fixtures.ts';
import { serveMcp } from '../../support/http/mcp-http.ts';

const program = fileURLToPath(new URL('../../support/fakes/mcp-server.mjs', import.meta.url));
const signal = new AbortController().signal;
const around = { signal, emit: () => undefined };
const secret = (name: string) => (name === 'TOKEN' ? 'open sesame' : undefined);

function open(server: McpServer): { servers: McpServers; connection: McpConnection } {
  const servers = mcpServers({ secret, workspaces: '/workspaces' }, { node: 'A', fetch, signal });
  onTestFinished(() => servers.close());
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
async function serve(): Promise<{ url: string; tokens: Set<unknown> }> {
  const tokens = new Set<unknown>();
  const server = await serveMcp(createServer, ({ authorization }) => tokens.add(authorization));
  onTestFinished(() => server.close());
  return { url: server.url, tokens };
}

describe('an MCP server that is started', () => {
  it('provides its tools with their parameters', async () => {
    const { connection } = open(local());

    const tools = await connection.tools();

    expect(tools.map(({ name }) => name)).toEqual(['greet', 'fail', 'show', 'meta', 'hang']);
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

  it('gets data beside the arguments, and says what it promises of a tool', async () => {
    const { connection } = open(local());

    const answer = await connection.call('meta', {}, { ...around, meta: { 'dev.example/key': 'k1' } });

    expect(answer.content).toContain('"dev.example/key":"k1"');
    const [meta] = (await connection.tools()).filter(({ name }) => name === 'meta');
    expect(meta?.annotations).toEqual({ readOnlyHint: true });
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
    const directory = directoryOfTest();
    const { servers, connection } = open(local({ args: [program, join(directory, 'pid')] }));
    await connection.tools();
    const pid = Number(await readFile(join(directory, 'pid'), 'utf8'));

    await servers.close();

    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('is started again for the next call when it has ended in the middle of one', async () => {
    const file = join(directoryOfTest(), 'pid');
    const { connection } = open(local({ args: [program, file] }));
    await connection.tools();
    const pid = Number(await readFile(file, 'utf8'));
    const lost = connection.call('hang', {}, around).catch((error: unknown) => error);

    process.kill(pid, 'SIGKILL');

    expect(await lost).toBeInstanceOf(CallLost);
    expect(await connection.call('greet', { name: 'Ann' }, around)).toEqual({ content: 'Hello Ann' });
    expect(Number(await readFile(file, 'utf8'))).not.toBe(pid);
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
    const workspaces = directoryOfTest();
    const alias = `${workspaces}-alias`;
    await symlink(workspaces, alias);
    onTestFinished(() => rm(alias));
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

    expect(await connection.tools()).toHaveLength(5);
    expect(await connection.call('greet', { name: 'Ann' }, around)).toEqual({ content: 'Hello Ann' });
    expect([...tokens]).toEqual(['Bearer open sesame']);
  });

  it('needs the secrets that its headers name', async () => {
    const { connection } = open(remote('http://127.0.0.1:9/mcp', { Authorization: '${MISSING}' }));

    await expect(connection.tools()).rejects.toMatchObject({ code: 'SECRET_MISSING' });
  });

  it('leaves open what came of a call whose connection breaks, but not of one that it refuses', async () => {
    const server = await serveMcp(createServer);
    onTestFinished(() => server.close());
    const { connection } = open({ type: 'remote', url: server.url, headers: {}, timeoutSeconds: 60 });
    const refused = await connection.call('no such tool', {}, around).catch((error: unknown) => error);
    const lost = connection.call('hang', {}, around).catch((error: unknown) => error);
    await server.begun();

    await server.close();

    expect(await lost).toBeInstanceOf(CallLost);
    expect(refused).not.toBeInstanceOf(CallLost);
  });

  it('is asked over a new session when it has forgotten the present one', async () => {
    const session = { id: 'first' };
    const server = await serveMcp(createServer, undefined, session);
    onTestFinished(() => server.close());
    const { connection } = open(remote(server.url));
    await connection.tools();

    session.id = 'second';

    expect(await connection.call('greet', { name: 'Ann' }, around)).toEqual({ content: 'Hello Ann' });
    session.id = 'third';
    expect(await connection.tools()).toHaveLength(5);
  });

  it('is unreachable when nothing listens at its address', async () => {
    const { connection } = open(remote('http://127.0.0.1:9/mcp'));

    await expect(connection.tools()).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });
  });
});

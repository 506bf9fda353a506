import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Scope } from '@millrace/core';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { directoryOfTest, openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { command } from '../../support/processes/command.ts';
import { millrace } from '../../support/processes/millrace.ts';

const poem = `vars: { TONE: sad, LANGUAGE: English }
graph:
  id: poem
  description: Writes a poem.
  initial_instruction: Say what it shall be about.
  nodes:
    - { id: Write, type: template, config: { text: "A \${TONE} poem in \${LANGUAGE}: {{ text }}" } }
`;
const asks = `graph:
  id: asks
  description: Asks for a colour.
  nodes:
    - { id: Ask, type: human, config: { description: Which colour? } }
`;

const api = openBeforeAll(serveApi);

beforeAll(async () => {
  const key = await api.keyOf('acme', 'admin');
  for (const [name, yaml] of Object.entries({ poem, asks, gone: asks })) await publish(key, name, yaml);
  await fetch(`${api.orchestrator.url}/v1/workflows/gone`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${key}` },
  });
});

async function publish(key: string, name: string, yaml: string): Promise<void> {
  const response = await fetch(`${api.orchestrator.url}/v1/workflows/${name}`, {
    method: 'PUT',
    body: JSON.stringify({ yaml }),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  expect(response.status).toBe(201);
}

/** A client of the package that others use, over HTTP. */
async function clientOf(tenant: string, ...scopes: readonly Scope[]): Promise<Client> {
  const key = await api.keyOf(tenant, ...scopes);
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.orchestrator.url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
  readonly value: Record<string, unknown>;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
  const { content, structuredContent = {}, isError = false } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return {
    isError,
    text: first?.type === 'text' ? first.text : '',
    value: structuredContent as Record<string, unknown>, // every tool answers with an object
  };
}

describe('over HTTP', () => {
  it('offers each published workflow as a tool, with its variables', async () => {
    const client = await clientOf('acme', 'read', 'run', 'answer');

    const { tools } = await client.listTools();

    expect(tools.map(({ name }) => name)).toEqual([
      'get_run',
      'cancel_run',
      'list_tasks',
      'answer_task',
      'run_asks',
      'run_poem',
    ]);
    const tool = tools.find(({ name }) => name === 'run_poem');
    expect(tool?.description).toMatch(/^Writes a poem\.\nSay what it shall be about\.\n/);
    expect(tool?.inputSchema).toMatchObject({
      type: 'object',
      properties: { task: { type: 'string' }, vars: { properties: { TONE: {}, LANGUAGE: {} } }, attachments: {} },
    });
    expect(JSON.stringify(tool)).not.toContain('sad');
  });

  it('offers more long workflows than may wait to be read', { timeout: 60_000 }, async () => {
    const key = await api.keyOf('library', 'admin');
    const names = Array.from({ length: 24 }, (_, at) => `book-${at + 10}`);
    for (const name of names) await publish(key, name, `${poem}# ${name} ${'long '.repeat(2000)}\n`);
    const client = await clientOf('library', 'read', 'run');

    const offered = await namesOf(client);

    expect(offered.filter((name) => name.startsWith('run_'))).toEqual(names.map((name) => `run_${name}`));
  });

  it('runs a workflow and returns its output', async () => {
    const client = await clientOf('acme', 'read', 'run');
    const files = [{ name: 'note.txt', text: 'For you.' }];
    const { value, isError } = await call(client, 'run_poem', {
      task: 'rain',
      vars: { TONE: 'glad' },
      attachments: files,
    });
    expect({ isError, ...value }).toMatchObject({ isError: false, status: 'completed' });
    expect(value['output']).toMatch(/^A glad poem in English: rain/);
    expect((await api.ask(await api.keyOf('acme', 'read'), `/v1/runs/${String(value['runId'])}`)).body).toMatchObject({
      origin: { type: 'mcp', of: 'run_poem' },
      title: 'rain',
    });
  });

  it('returns a handle for a long run, accepts its answer, and returns the output', async () => {
    const client = await clientOf('acme', 'read', 'run', 'answer');
    const started = await call(client, 'run_asks', { task: 'A fence.' });
    const { runId } = started.value;
    expect(started.value).toMatchObject({ status: 'waiting', tasks: [{ prompt: 'Which colour?' }] });

    const listed = await call(client, 'list_tasks', { runId });
    const [task] = listed.value['tasks'] as { id: string; runId: string }[]; // the run has one question
    expect(task).toMatchObject({ runId });
    expect((await call(client, 'list_tasks')).value['tasks']).toContainEqual(expect.objectContaining({ id: task?.id }));
    expect((await call(client, 'answer_task', { taskId: task?.id, text: 'Red.' })).isError).toBe(false);
    const again = await call(client, 'answer_task', { taskId: task?.id, text: 'Blue.' });
    expect(again).toMatchObject({ isError: true, text: expect.stringContaining('[TASK_ANSWERED]') });

    const ended = await call(client, 'get_run', { runId });
    expect(ended.value).toMatchObject({ runId, status: 'completed', output: 'Red.' });
  });

  it('waits no longer than requested, and cancels', async () => {
    const client = await clientOf('acme', 'run', 'read');
    const { value } = await call(client, 'run_asks', { waitSeconds: 0 });
    expect(value).toMatchObject({ runId: expect.any(String), next: expect.stringContaining('get_run') });
    const cancelled = await call(client, 'cancel_run', { runId: value['runId'] });
    expect(cancelled.value).toMatchObject({ status: 'cancelled' });
  });

  it('reports errors of a call', async () => {
    const client = await clientOf('acme', 'read', 'run');
    const wrong = await call(client, 'run_poem', { task: 7 });
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('[REQUEST_INVALID]') });
    for (const [name, code] of [
      ['run_gone', 'WORKFLOW_ARCHIVED'],
      ['run_nothing', 'WORKFLOW_UNKNOWN'],
      ['run_no such', 'WORKFLOW_UNKNOWN'],
      ['nothing', 'TOOL_UNKNOWN'],
    ] as const) {
      expect(await call(client, name)).toMatchObject({ isError: true, text: expect.stringContaining(`[${code}]`) });
    }
    expect(await call(client, 'get_run', { runId: 'run_0' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('[RUN_UNKNOWN]'),
    });
  });

  it('offers the tools that a key permits, and no others', async () => {
    const reader = await clientOf('acme', 'read');
    expect(await namesOf(reader)).toEqual(['get_run', 'list_tasks']);
    for (const name of ['run_poem', 'cancel_run', 'answer_task']) {
      expect(await call(reader, name)).toMatchObject({
        isError: true,
        text: expect.stringContaining('[SCOPE_MISSING]'),
      });
    }
  });

  it('shows nothing of one tenant to another', async () => {
    const acme = await clientOf('acme', 'admin');
    const other = await clientOf('other', 'admin');
    expect(await namesOf(other)).toEqual(['get_run', 'cancel_run', 'list_tasks', 'answer_task']);
    const { value } = await call(acme, 'run_asks', { waitSeconds: 10 });
    const [task] = value['tasks'] as { id: string }[]; // the run has one question
    const attempts = [
      call(other, 'get_run', { runId: value['runId'] }),
      call(other, 'cancel_run', { runId: value['runId'] }),
      call(other, 'answer_task', { taskId: task?.id, text: 'Mine.' }),
    ];
    for (const attempt of await Promise.all(attempts)) {
      expect(attempt).toMatchObject({ isError: true, text: expect.stringContaining('[RUN_UNKNOWN]') });
    }
    expect((await call(other, 'list_tasks')).value).toEqual({ tasks: [] });
    expect(await call(other, 'run_asks')).toMatchObject({ text: expect.stringContaining('[WORKFLOW_UNKNOWN]') });
    await call(acme, 'cancel_run', { runId: value['runId'] });
  });

  it('refuses requests without a key', async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const response = await fetch(`${api.orchestrator.url}/mcp`, { method: 'POST', headers, body });
    expect(response.status).toBe(401);
  });
});

describe('over standard input and output', () => {
  const main = fileURLToPath(new URL('../../../packages/cli/bin/millrace.js', import.meta.url));

  /** A client that starts the command itself. */
  async function started(args: readonly string[], env: Record<string, string>): Promise<Client> {
    const cwd = directoryOfTest();
    const client = new Client({ name: 'test', version: '1' });
    const path = { PATH: process.env['PATH'] ?? '' };
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [main, 'mcp', ...args],
        env: { ...path, ...env },
        cwd,
        stderr: 'ignore',
      }),
    );
    onTestFinished(() => client.close());
    return client;
  }

  it('serves one tenant, and executes runs itself on request', async () => {
    const { url, prefix } = api.redis;
    const env = { REDIS_URL: url, MILLRACE_PREFIX: prefix.slice(1, -1) };
    const client = await started(['--tenant', 'acme', '--work'], env);

    expect(await namesOf(client)).toContain('run_poem');
    const { value } = await call(client, 'run_poem', { task: randomUUID() });
    expect(value).toMatchObject({ status: 'completed' });
  });

  it('serves the API of another server, with the permissions of its key', async () => {
    const url = { MILLRACE_URL: api.orchestrator.url };
    const client = await started([], { ...url, MILLRACE_API_KEY: await api.keyOf('acme', 'read', 'run') });

    expect(client.getInstructions()).toContain('run_');
    expect(await namesOf(client)).toEqual(['get_run', 'cancel_run', 'list_tasks', 'run_asks', 'run_poem']);
    expect((await call(client, 'run_poem', { task: 'remote' })).value).toMatchObject({ status: 'completed' });
    expect(await call(client, 'get_run', { runId: 'run_none' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('[RUN_UNKNOWN]'),
    });
  });

  it('responds to all requests before the end of its input', async () => {
    const clientInfo = { name: 'test', version: '1' };
    const requests = [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
      { id: 2, method: 'tools/call', params: { name: 'run_poem', arguments: { task: 'piped' } } },
    ];
    const stdin = requests.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join('');
    const { url: REDIS_URL, prefix } = api.redis;
    const remote = { MILLRACE_URL: api.orchestrator.url, MILLRACE_API_KEY: await api.keyOf('acme', 'read', 'run') };
    const [there, here] = await Promise.all([
      millrace(['mcp'], { stdin, env: remote }),
      millrace(['mcp', '--tenant', 'acme'], { stdin, env: { REDIS_URL, MILLRACE_PREFIX: prefix.slice(1, -1) } }),
    ]);
    for (const { stdout, stderr } of [there, here]) {
      const answers = stdout.trim().split('\n');
      expect(JSON.parse(answers[1] ?? stderr)).toMatchObject({
        id: 2,
        result: { structuredContent: { status: 'completed' } },
      });
    }
  });

  it('reports errors of key, address or options before it starts', async () => {
    const url = { MILLRACE_URL: api.orchestrator.url, MILLRACE_API_KEY: 'mk_none' };
    const tried = await Promise.all([
      command(['mcp'], url),
      command(['mcp'], { MILLRACE_URL: 'http://127.0.0.1:1' }),
      command(['mcp', '--tenant', 'acme'], url),
    ]);
    expect(tried.map(({ code }) => code)).toEqual([4, 5, 2]);
    expect(tried[0]?.stderr).toContain('[KEY_INVALID]');
  });
});

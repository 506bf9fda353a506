import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { connect } from '@millrace/runtime';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { ask } from '../../support/http/http.ts';
import { millrace, startServer } from '../../support/processes/millrace.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import type { Reply } from '../../support/provider/reply.ts';
import type { Turn } from '../../support/provider/turn.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { contentsOf } from '../../support/redis/redis-contents.ts';
import { waitUntil } from '../../support/waiting.ts';

const stdioServer = fileURLToPath(new URL('../../support/fakes/mcp-server.mjs', import.meta.url));
const secret = (name: string) => `canary-${name}-${randomUUID()}`;
const secrets = {
  MODEL_KEY: secret('model'),
  TOOL_TOKEN: secret('tool'),
  STDIO_WORD: secret('stdio'),
  PROGRAM_WORD: secret('program'),
  MILLRACE_SECRET: secret('installation'),
};
let key = '';

const models = openBeforeAll(() => startFakeProvider({ reply: replyOfModel }));
const tools = openBeforeAll(() => listening(answerAsTools));
const redis = openBeforeAll(startRedis);
const cwd = directoryBeforeAll();
const env = () => ({ REDIS_URL: redis.url, MILLRACE_LOG_LEVEL: 'trace', ...secrets });
const up = openBeforeAll(() => startServer(['up', '--port', '0'], { cwd, env: env() }));
/** Everything that a client received. */
const received: string[] = [];

const listening = async (answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>) => {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port

const calledTools = new Set(['echo', 'refuse', 'greet']);

/** A model that calls these tools, then repeats its request and its key. */
function replyOfModel({ rounds, tools: offered, key: sent, body }: Turn): Reply {
  const calls = offered
    .filter(({ name }) => rounds === 0 && calledTools.has(name))
    .map(({ name }) => ({ name, arguments: { name: 'Ann' } }));
  return calls.length > 0 ? { calls } : `key Bearer ${sent} said ${JSON.stringify(body['messages'])}`;
}

/** A server of tools that repeats the headers it is asked with wherever it can say something. */
function echoing(authorization: string | undefined): McpServer {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  const parameters = { inputSchema: z.object({ name: z.string().describe(`not ${authorization}`) }) };
  server.registerTool('echo', { description: `Knows ${authorization}.`, ...parameters }, async () => ({
    content: [
      { type: 'text', text: `{"authorization": ${JSON.stringify(authorization)}}` },
      {
        type: 'resource',
        resource: {
          uri: 'file:///a.txt',
          mimeType: 'text/plain',
          blob: Buffer.from(`in a file: ${authorization}`).toString('base64'),
        },
      },
    ],
  }));
  server.registerTool('refuse', { description: 'Fails.', ...parameters }, () => {
    throw new Error(`no: ${authorization}`);
  });
  return server;
}

async function answerAsTools(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization } = request.headers;
  const handler = createMcpHandler(() => echoing(authorization));
  const body = request.method === 'POST' ? await textOf(request) : undefined;
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
}

beforeAll(async () => {
  key = (await millrace(['keys', 'create', '--scopes', 'admin'], { cwd, env: env() })).stdout.trim();
  await waitUntil(async () => (await fetch(`${up.url}/v1/runs`)).status === 401);
});

const auth = () => ({ authorization: `Bearer ${key}` });

async function finished(nodes: string): Promise<Record<string, unknown>> {
  const yaml = `graph:\n  id: echo\n  nodes:\n${nodes}`;
  const started = await ask(`${up.url}/v1/runs`, { workflow: { yaml }, input: 'go' }, auth());
  const run = String(started.body['runId']);
  const ended = await ask(`${up.url}/v1/runs/${run}?wait=30s`, undefined, auth());
  const activations = await ask(`${up.url}/v1/runs/${run}/activations`, undefined, auth());
  const journal = await millrace(['journal', run, '--json'], { cwd, env: env() });
  const streamed = await fetch(`${up.url}/v1/runs/${run}/events`, { headers: auth() });
  received.push(
    JSON.stringify([started.body, ended.body, activations.body]),
    journal.stdout,
    journal.stderr,
    await streamed.text(),
  );
  return ended.body;
}

const agent = (more: string) =>
  `    - id: A\n      type: agent\n      config: { provider: openai, name: m, base_url: "${models.at('ok')}", api_key: "\${MODEL_KEY}", retry: { max_attempts: 1 }${more} }\n`;

describe('a secret of the worker that is echoed', () => {
  it.each(['false', 'true'])('in the output of a model is hidden (streamed: %s)', async (stream) => {
    const { output, status } = await finished(agent(`, params: { stream: ${stream} }`));

    expect(status).toBe('completed');
    expect(output).toContain('key Bearer [secret] said');
  });

  it('from an MCP server is hidden in descriptions, results, files and errors', async () => {
    const binding = `{ type: mcp_remote, config: { server: "${urlOf(tools)}/mcp", headers: { Authorization: "Bearer \${TOOL_TOKEN}" } } }`;
    const { output, status, runId } = await finished(agent(`, params: { stream: false }, tooling: [${binding}]`));
    const artifacts = await ask(`${up.url}/v1/runs/${String(runId)}/artifacts`, undefined, auth());
    received.push(JSON.stringify(artifacts.body));

    expect(status).toBe('completed');
    expect(output).toContain('Bearer [secret]');
    expect(output).toContain('no: Bearer [secret]');
  });

  it('from an MCP server that was started as a command is hidden', async () => {
    const binding = `{ type: mcp_local, config: { command: "${process.execPath}", args: ["${stdioServer}"], env: { MCP_GREETING: "\${STDIO_WORD}" }, startup_timeout: 30 } }`;
    const { output } = await finished(agent(`, params: { stream: false }, tooling: [${binding}]`));

    expect(output).toContain('Hello Ann[secret]');
  });

  it('in the output of a program is hidden', async () => {
    const { output } =
      await finished(`    - { id: Say, type: literal, config: { content: "import os; print(os.environ['WORD'])" } }
    - { id: Run, type: python, config: { env: { WORD: "\${PROGRAM_WORD}" } } }
  edges: [{ from: Say, to: Run }]
`);
    expect(output).toBe('[secret]\n');
  });
});

describe('the log at the level trace', () => {
  const file = () => {
    const form = new FormData();
    form.set('file', new Blob(['text']), 'a.txt');
    return form;
  };
  const others = { 'x-api-key': secret('header'), cookie: `sid=${secret('cookie')}` };

  it('contains uploads, refusals and boards without their keys', async () => {
    const upload = (path: string, headers: Record<string, string>) =>
      fetch(`${up.url}${path}`, { method: 'POST', body: file(), headers: { ...others, ...headers } });
    const basic = `Basic ${Buffer.from(`ann:${key}`).toString('base64')}`;
    const statuses = [
      await upload('/v1/files', auth()),
      await upload(`/v1/files?api_key=${key}`, auth()),
      await upload('/v1/files', { authorization: `Bearer ${key.slice(0, -1)}0` }),
      await upload('/v1/batches', auth()),
      await fetch(`${up.url}/admin/queues`, { headers: { authorization: basic } }),
      await fetch(`${up.url}/v1/runs?token=${key}`, { headers: auth() }),
    ].map(({ status }) => status);

    expect(statuses[0]).toBe(201);
    Object.assign(secrets, {
      API_KEY: key,
      TAIL: key.slice(-40),
      HEADER: others['x-api-key'],
      COOKIE: others.cookie.slice(4),
      BASIC: basic.slice(6),
    });
  });

  it('contains no secret, like Redis, its file, and all responses', async () => {
    const { stdout, stderr } = await up.stop();
    const connection = connect(redis.url, 'test');
    const stored = await contentsOf(connection);
    connection.disconnect();
    const written = redis.appendOnlyFile === undefined ? '' : readFileSync(redis.appendOnlyFile, 'latin1');

    // It was at this level that headers were logged.
    expect(stderr).toContain('Providing options to busboy');
    expect(stored).toContain('[secret]');
    for (const [name, value] of Object.entries(secrets)) {
      const places = { stdout, stderr, stored, written, received: received.join('\n') };
      const found = Object.entries(places).filter(
        ([, text]) => text.includes(value) || text.includes(Buffer.from(value).toString('base64').slice(0, 24)),
      );
      expect({ name, found: found.map(([place]) => place) }).toEqual({ name, found: [] });
    }
  });
});

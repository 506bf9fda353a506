import type { RunDescription } from '@millrace/runtime';
import { mcpServers } from '@millrace/worker';
import { beforeEach, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startJsonServer } from '../../support/http/json-server.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { openStage } from '../../support/runs/stage.ts';

/** Statuses by which a server refuses a request for good. */
const refusals = [400, 401, 402, 403, 404, 405, 410, 413, 415, 422, 431, 451];

// Words that are on the list of those that are tried again.
const message = 'rate limit, timeout';
let status = 0;
let stream: string | undefined;
const model = openBeforeAll(() =>
  startFakeProvider({
    reply: () => (stream === undefined ? { refuse: status, message } : { events: [stream] }),
    embed: () => ({ refuse: status, message }),
  }),
);

const stage = openBeforeAll(() =>
  openStage({ where: { local: true }, secret: () => undefined, outbound: ['127.0.0.1'] }),
);

let before = 0;
beforeEach(() => {
  before = model.requests.length;
  stream = undefined;
});
/** Requests of a test to the provider. */
const requests = (): number => model.requests.length - before;

async function run(config: string, memory = ''): Promise<RunDescription> {
  const yaml = `graph:\n  id: g\n${memory}  nodes:\n    - { id: A, type: agent, config: { ${config} } }\n`;
  return (await stage.run(yaml, 'a task')).description;
}

const providers = [
  ['openai', 'params: {}'],
  ['openai', 'params: {protocol: responses}'],
  ['gemini', 'params: {}'],
  ['anthropic', 'params: {}'],
] as const;

describe('a failure that a retry cannot repair ends a node at once', () => {
  it.each(providers.flatMap(([provider, params]) => refusals.map((status) => [provider, params, status] as const)))(
    'when a model of %s (%s) answers %d',
    async (provider, params, refusal) => {
      status = refusal;

      const { status: result } = await run(
        `provider: ${provider}, name: m, base_url: '${model.url}/ok', api_key: k, ${params}`,
      );

      expect([result, requests()]).toEqual(['failed', 1]);
    },
  );

  it.each(['openai', 'gemini', 'anthropic'])('when the key for %s is missing', async (provider) => {
    const { error, usage, startedAt, finishedAt } = await run(`provider: ${provider}, name: m`);

    expect(error?.code).toBe('MODEL_AUTH');
    expect(usage.calls).toBe(0);
    // The shortest wait before another try is a second.
    expect((finishedAt ?? Number.NaN) - startedAt).toBeLessThan(1000);
  });

  it.each(['openai', 'gemini', 'anthropic'])('when the key for %s is that of an example', async (provider) => {
    const { error } = await run(`provider: ${provider}, name: m, base_url: '${model.url}/ok', api_key: 'sk-…'`);

    expect([error?.code, requests()]).toEqual(['MODEL_AUTH', 0]);
    expect(error?.message).toContain('U+2026');
  });

  it('when the key for embeddings is that of an example', async () => {
    const embedding = `{provider: openai, model: emb, base_url: '${model.url}/ok', api_key: 'sk-…'}`;
    const memory = `  memory: [{name: notes, type: simple, config: {embedding: ${embedding}}}]\n`;
    const scripted = 'provider: scripted, name: m, params: {default: hello}';

    const { error } = await run(`${scripted}, memories: [{name: notes, write: true}]`, memory);

    expect([error?.code, requests()]).toEqual(['MEMORY_EMBEDDING_FAILED', 0]);
    expect(error?.message).toContain('U+2026');
  });

  it('when a setting of the call is wrong', async () => {
    const { error, startedAt, finishedAt } = await run(
      `provider: openai, name: m, base_url: '${model.url}/ok', params: {timeout: soon}`,
    );

    expect(error?.code).toBe('MODEL_BAD_REQUEST');
    expect((finishedAt ?? Number.NaN) - startedAt).toBeLessThan(1000);
  });

  it.each([
    ['openai', 'data: {"error": {"message": "no", "type": "invalid_request_error", "code": "invalid_api_key"}}\n\n'],
    ['openai', 'data: {"error": {"message": "no", "type": "invalid_request_error", "code": "model_not_found"}}\n\n'],
    ['anthropic', 'event: error\ndata: {"type": "error", "error": {"type": "permission_error", "message": "no"}}\n\n'],
  ])('when a stream of %s reports it', async (provider, events) => {
    stream = events;

    const { status: result } = await run(`provider: ${provider}, name: m, base_url: '${model.url}/ok', api_key: k`);

    expect([result, requests()]).toEqual(['failed', 1]);
  });

  it.each(refusals)('when a server of embeddings answers %d', async (refusal) => {
    status = refusal;
    const embedding = `{provider: openai, model: emb, base_url: '${model.url}/ok', api_key: k}`;
    const memory = `  memory: [{name: notes, type: simple, config: {embedding: ${embedding}}}]\n`;
    const scripted = 'provider: scripted, name: m, params: {default: hello}';

    const { error } = await run(`${scripted}, memories: [{name: notes, write: true}]`, memory);

    expect([error?.code, requests()]).toEqual(['MEMORY_EMBEDDING_FAILED', 1]);
  });

  it('when a header for an MCP server is that of an example', async () => {
    const server = await startJsonServer(() => ({ status: 200, body: {} }));
    const signal = new AbortController().signal;
    const servers = mcpServers({ secret: () => '…', workspaces: '/workspaces' }, { node: 'A', fetch, signal });
    const headers = { Authorization: 'Bearer ${TOKEN}' };
    const connection = servers.connect({ type: 'remote', url: server.url, headers, timeoutSeconds: 5 });

    await expect(connection.tools()).rejects.toMatchObject({
      code: 'MCP_UNREACHABLE',
      message: expect.stringContaining('The header "Authorization" contains the character U+2026'),
      transient: false,
    });

    expect(server.requests).toEqual([]);
    await server.close();
  });

  it.each(refusals)('when an MCP server responds with %d', async (refusal) => {
    const server = await startJsonServer(() => ({ status: refusal, body: { error: { message, code: 'e' } } }));
    const signal = new AbortController().signal;
    const servers = mcpServers({ secret: () => undefined, workspaces: '/workspaces' }, { node: 'A', fetch, signal });
    const connection = servers.connect({ type: 'remote', url: server.url, headers: {}, timeoutSeconds: 5 });

    await expect(connection.tools()).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });

    expect(server.requests.filter(({ body }) => body !== undefined)).toHaveLength(1);
    await servers.close();
    await server.close();
  });

  it('when the command of an MCP server does not exist', async () => {
    const signal = new AbortController().signal;
    const servers = mcpServers({ secret: () => undefined, workspaces: '/workspaces' }, { node: 'A', fetch, signal });
    const command = { type: 'local', command: 'no-such-program', args: [], env: {} } as const;
    const connection = servers.connect({ ...command, inheritEnv: true, startupTimeoutSeconds: 5 });
    const began = performance.now();

    await expect(connection.tools()).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });

    // Tries would be repeated until the server has to be reachable.
    expect(performance.now() - began).toBeLessThan(4000);
    await servers.close();
  });
});

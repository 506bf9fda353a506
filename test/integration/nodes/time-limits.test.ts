import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createVocabulary, requestVectors } from '@millrace/catalog';
import { Millrace } from '@millrace/client';
import type { TerminationDefinition } from '@millrace/core';
import { createModelLookup } from '@millrace/core';
import { createGuardedFetch, createOutboundPolicy, realClock } from '@millrace/runtime';
import { mcpServers } from '@millrace/worker';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mem0 } from '../../../packages/catalog/src/memories/mem0.ts';
import type { BoundTool } from '../../../packages/catalog/src/nodes/agent/tooling/bound-tool.ts';
import { callTool } from '../../../packages/catalog/src/nodes/agent/tooling/tool-call.ts';
import { functionTermination } from '../../../packages/catalog/src/terminations/function.ts';
import { timeLimit } from '../../../packages/worker/src/execute/execute-node.ts';
import { runProcess } from '../../../packages/worker/src/programs/child-process.ts';
import { fakeHost } from '../../support/fakes/fake-host.ts';
import { fakeMemoryAccess } from '../../support/fakes/fake-memory-access.ts';
import { collectGarbage } from '../../support/faults/collect-garbage.ts';
import { shortenWaits } from '../../support/faults/shorter-waits.ts';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { listen } from '../../support/http/listen.ts';

const never = () => new Promise<never>(() => undefined);
const signal = new AbortController().signal;

/** Answers nothing, or only begins to answer where the path says so. */
const silent = createServer((request, response: ServerResponse) => {
  request.resume();
  if (!request.url?.startsWith('/begins')) return;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{');
});
let url = '';

const directory = directoryBeforeAll();
let stopCollecting: () => void;
let restoreWaits: () => void;

beforeAll(async () => {
  const port = await listen(silent);
  url = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  silent.closeAllConnections();
  silent.close();
});
beforeEach(() => {
  stopCollecting = collectGarbage();
  restoreWaits = shortenWaits({ fromMs: 10_000, factor: 100 });
});
afterEach(() => {
  restoreWaits();
  stopCollecting();
});

type Action = Extract<BoundTool['work'], { type: 'action' }>;

const provider = createVocabulary().providers.get('openai');
const chat = (path: string) =>
  provider?.chat(
    { provider: 'openai', model: 'm', baseUrl: `${url}${path}`, messages: [], params: { timeout: 0.3 } } as never,
    { signal, fetch, profile: createModelLookup([]).profile({ provider: 'openai', model: 'm' }) } as never,
  );
const toolCall = (run: Action['run']) =>
  callTool(
    { id: '1', name: 'wait', arguments: '{}' },
    {
      host: fakeHost(),
      input: [],
      place: 1,
      tool: {
        spec: { name: 'wait', description: '', parameters: {} },
        name: 'wait',
        origin: 'tooling',
        work: { type: 'action', effect: 'idempotent', timeoutSeconds: 0.3, run },
      },
    },
  );

describe('a time limit holds while garbage is collected', { timeout: 25_000 }, () => {
  it.each(['/silent', '/begins'])('for a call of a model (%s)', async (path) => {
    await expect(chat(path)).rejects.toMatchObject({ code: 'MODEL_TIMEOUT' });
  });

  it('for a request for embeddings', async () => {
    const asked = { model: 'm', texts: ['a'], apiKey: 'k', baseUrl: url };

    await expect(requestVectors(asked, { signal, fetch })).rejects.toThrow('60 s');
  });

  it('for a request to a memory service', async () => {
    const recalled = mem0.recall?.(
      { api_key: 'k', base_url: url } as never,
      { text: 'What?', role: 'A', topK: 1 } as never,
      fakeMemoryAccess({ signal }),
    );

    await expect(recalled).rejects.toMatchObject({ code: 'MEMORY_SERVICE_FAILED' });
  });

  it('for a tool', async () => {
    expect(await toolCall(never)).toMatchObject({
      answer: { failed: true, content: expect.stringContaining('within 0.3 s') },
    });
  });

  it('for a tool of an MCP server', async () => {
    stopCollecting();
    const program = fileURLToPath(new URL('../../support/fakes/mcp-server.mjs', import.meta.url));
    const servers = mcpServers({ secret: () => undefined, workspaces: '/workspaces' }, { node: 'A', fetch, signal });
    const command = { type: 'local', command: process.execPath, args: [program], env: {} } as const;
    const connection = servers.connect({ ...command, inheritEnv: true, startupTimeoutSeconds: 1000 });
    await connection.tools();
    stopCollecting = collectGarbage();
    const began = performance.now();

    const called = await toolCall((_args, place) => connection.call('hang', {}, place));

    expect(called).toMatchObject({ answer: { failed: true, content: expect.stringContaining('within 0.3 s') } });
    expect(performance.now() - began).toBeLessThan(3000);
    await servers.close();
  });

  it('for a termination function', async () => {
    const hang = { name: 'hang', evaluate: never };
    const condition: TerminationDefinition = functionTermination(new Map([['hang', hang as never]])) as never;
    const observed = condition.observe?.(
      { name: 'hang', args: {}, timeout_ms: 300, on_error: 'stop', include_events: true } as never,
      { items: [], nested: false, task: false } as never,
      { state: undefined, signal } as never,
    );

    expect(await observed).toMatchObject({ error: { message: expect.stringContaining('took longer than 300 ms') } });
  });

  it('for a node', async () => {
    const limit = timeLimit({ id: 'N', timeoutSeconds: 0.3 }, { signal, clock: realClock });
    const heeded = () =>
      new Promise<never>((_, reject) => limit.signal.addEventListener('abort', () => reject(limit.signal.reason)));

    await expect(limit.race(heeded)).rejects.toMatchObject({ code: 'NODE_TIMEOUT' });
  });

  it('for a program', async () => {
    const command = { file: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], cwd: directory, env: {} };

    expect(await runProcess(command, { timeoutMs: 300, signal })).toMatchObject({ code: undefined });
  });

  it.each(['/silent', '/begins'])('for a guarded request with the limit of its caller (%s)', async (path) => {
    const guarded = createGuardedFetch(createOutboundPolicy(['loopback']));
    const asked = async () => (await guarded(`${url}${path}`, { signal: AbortSignal.timeout(300) })).text();

    await expect(asked()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it.each(['/silent', '/begins'])('for a request of the client with the limit of its caller (%s)', async (path) => {
    const millrace = new Millrace({ url: `${url}${path}/`, retries: 0 });

    await expect(millrace.runs.get('r').result({ signal: AbortSignal.timeout(300) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });
});

import { createVocabulary } from '@millrace/catalog';
import { textOf } from '@millrace/core';
import type { RunDescription } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { afterAll, expect, it } from 'vitest';
import type { HostileMcp } from '../../support/fakes/hostile-mcp.ts';
import { events, json, startHostileMcp } from '../../support/fakes/hostile-mcp.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { flood } from '../../support/http/flood.ts';
import { startWorkerProcess } from '../../support/processes/worker-process.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const vocabulary = createVocabulary();

const redis = openBeforeAll(startRedis);
const runtime = openBeforeAll(() => openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined));
const worker = openBeforeAll(() => startWorkerProcess(redis.url, { NODE_OPTIONS: '--max-old-space-size=512' }));
const servers: HostileMcp[] = [];
afterAll(async () => {
  for (const server of servers) await server.close();
});

const replies = {
  'in JSON': { headers: json, start: '{"jsonrpc":"2.0","id":1,"result":{"tools":["', piece: 'x'.repeat(1_000_000) },
  'as an event': { headers: events, start: 'data: {"jsonrpc":"2.0","id":1,"result":["', piece: 'x'.repeat(1_000_000) },
  'as empty objects': { headers: json, start: '{"jsonrpc":"2.0","id":1,"result":[', piece: '{},'.repeat(300_000) },
} as const;

async function serve(name: keyof typeof replies, method = 'tools/list'): Promise<string> {
  const { headers, start, piece } = replies[name];
  const server = await startHostileMcp(method, async (response) => {
    await flood(response.writeHead(200, headers), { start, piece, bytes: 700_000_000 });
  });
  servers.push(server);
  return server.url;
}

const greeting = 'graph:\n  id: greeting\n  nodes: [{ id: A, type: literal, config: { content: hello } }]\n';
const agentOf = (url: string): string => `graph:
  id: agent
  nodes:
    - id: Agent
      type: agent
      config:
        provider: scripted
        name: m
        params: {rules: [{when: {}, replies: [{tool_calls: [{id: c, name: look, arguments: {}}]}]}]}
        tooling: [{type: mcp_remote, config: {server: "${url}", timeout: 60}}]
`;

async function run(workflow: string): Promise<RunDescription | undefined> {
  const id = await runtime.runs.start({ workflow: workflowIn(workflow, vocabulary), input: 'x' });
  await untilEnded(runtime.runs, id);
  return runtime.runs.describe(id);
}

it('a worker with 512 MB survives MCP servers that send 700 MB, and works on', async () => {
  const lists = [serve('in JSON'), serve('as an event'), serve('as empty objects')];
  const urls = await Promise.all([...lists, serve('as an event', 'tools/call')]);

  const hostile = await Promise.all(urls.map((url) => run(agentOf(url))));

  for (const one of hostile) expect(one).toMatchObject({ status: 'failed', error: { code: 'MCP_REPLY_TOO_LARGE' } });
  const next = await run(greeting);
  expect(next?.output && textOf(next.output)).toBe('hello');
  // It was this worker, which has not died meanwhile: nobody would have started another one.
  expect(await worker.terminate()).toBe(0);
});

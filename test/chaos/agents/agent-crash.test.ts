import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { createVocabulary } from '@millrace/catalog';
import { defineTool } from '@millrace/core';
import { openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { directoryBeforeEach, openBeforeEach } from '../../support/fixtures.ts';
import { startWorkerProcess } from '../../support/processes/worker-process.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const rounds = 10;
/** The request in whose middle a worker dies: the server takes it and never answers. */
const fatal = ['model 3', 'tool 6'];

/** A model that asks for a tool ten times, and the service that the tool asks; both count who asks for what. */
async function startServices() {
  const counts = new Map<string, number>();
  const arrivals = new EventEmitter();
  const deaths = new Map(fatal.map((name) => [name, once(arrivals, name)]));
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { messages?: { role: string }[]; round?: number }; // the two requests that there are
    const round = body.messages?.filter(({ role }) => role === 'tool').length ?? body.round ?? -1;
    const name = `${body.messages === undefined ? 'tool' : 'model'} ${round}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (fatal.includes(name) && count === 1) {
      arrivals.emit(name);
      return;
    }
    response.setHeader('content-type', 'application/json');
    const call = {
      id: `c${round}`,
      type: 'function',
      function: { name: 'note', arguments: JSON.stringify({ round }) },
    };
    const message = round < rounds ? { content: null, tool_calls: [call] } : { content: `noted ${round}` };
    response.end(JSON.stringify(body.messages === undefined ? { noted: round } : { choices: [{ message }] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this shape.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    counts,
    /** Resolves when a worker waits for this request. */
    reached: (name: string) => deaths.get(name),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const services = openBeforeEach(startServices);
const redis = openBeforeEach(() => startRedis());
const directory = directoryBeforeEach();

const extension = (url: string) => `
const execute = async ({ round }) => (await fetch('${url}', { method: 'POST', body: JSON.stringify({ round }) })).text();
const parameters = { type: 'object', properties: { round: { type: 'number' } } };
export const extensions = { tools: [{ name: 'note', description: 'Notes.', parameters, execute }] };
`;

it('repeats only calls in progress when workers are killed in a loop of ten rounds', async () => {
  const module = join(directory, 'extension.mjs');
  await writeFile(module, extension(services.url));
  const addWorker = () => startWorkerProcess(redis.url, { MILLRACE_EXTENSIONS: module, TEST_MODEL_KEY: 'sk-test' });
  const note = defineTool({ name: 'note', description: 'Notes.', parameters: z.object({}), execute: () => '' });
  const vocabulary = createVocabulary({ tools: [note] });
  const runtime = await openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined);
  const workflow = workflowIn(
    `
graph:
  id: noting
  nodes:
    - id: Noter
      type: agent
      config:
        provider: openai
        name: m
        base_url: ${services.url}
        api_key: \${TEST_MODEL_KEY}
        tooling: [{ type: function, config: { tools: [{ name: note }] } }]
`,
    vocabulary,
  );

  let worker = await addWorker();
  const run = await runtime.runs.start({ workflow, input: 'note it' });
  for (const name of fatal) {
    await services.reached(name);
    await worker.kill();
    worker = await addWorker();
  }
  for await (const _entry of runtime.runs.watch(run, '0', AbortSignal.timeout(100_000)));
  const description = await runtime.runs.describe(run);
  await worker.kill();
  await runtime.close();

  expect(description).toMatchObject({ status: 'completed', outputs: { Noter: `noted ${rounds}` } });
  const expected = Array.from({ length: rounds + 1 }, (_, round) => [
    [`model ${round}`, fatal.includes(`model ${round}`) ? 2 : 1],
    ...(round < rounds ? [[`tool ${round}`, fatal.includes(`tool ${round}`) ? 2 : 1]] : []),
  ]).flat();
  expect([...services.counts]).toEqual(expected);
});

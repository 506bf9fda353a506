import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import { defineTool } from '@millrace/core';
import { openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { directoryBeforeEach, openBeforeEach } from '../../support/fixtures.ts';
import { startJsonServer } from '../../support/http/json-server.ts';
import { startWorkerProcess } from '../../support/processes/worker-process.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const rounds = 10;
/** The request in whose middle a worker dies: the server takes it and never answers. */
const fatal = ['model 3', 'tool 6'];

/** A model that asks for a tool ten times, and the service that the tool asks; both count who asks for what. */
async function startServices() {
  const counts = new Map<string, number>();
  const arrivals = new EventEmitter();
  const deaths = new Map(fatal.map((name) => [name, once(arrivals, name)]));
  /** Counts a request, and returns whether a worker dies of it. */
  const isFatal = (name: string): boolean => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (!fatal.includes(name) || count > 1) return false;
    arrivals.emit(name);
    return true;
  };
  const model = await startFakeProvider({
    reply({ rounds: round }) {
      if (isFatal(`model ${round}`)) return { silence: true };
      return round < rounds ? { calls: [{ name: 'note', arguments: { round } }] } : `noted ${round}`;
    },
  });
  const tool = await startJsonServer(({ body }) => {
    const { round } = body as { round: number }; // as the tool sends it
    return isFatal(`tool ${round}`) ? new Promise(() => undefined) : { body: { noted: round } };
  });
  return {
    modelUrl: model.at('ok'),
    toolUrl: tool.url,
    counts,
    /** Resolves when a worker waits for this request. */
    reached: (name: string) => deaths.get(name),
    close: () => Promise.all([model.close(), tool.close()]),
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
  await writeFile(module, extension(services.toolUrl));
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
        base_url: ${services.modelUrl}
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
  await untilEnded(runtime.runs, run);
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

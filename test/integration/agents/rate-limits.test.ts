import { createVocabulary } from '@millrace/catalog';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Manner, ModelServer } from '../../support/fakes/model-server.ts';
import { startModelServer } from '../../support/fakes/model-server.ts';
import { openBeforeEach } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();

const installation = openBeforeEach(newInstallation);
const stage = openBeforeEach(() => openStage({ where: installation.where }));
let model: ModelServer;
beforeEach(async () => {
  stage.runtime.startCaretaker();
});
afterEach(async () => {
  await model.close();
});

const workflow = (more = '') =>
  workflowIn(
    `
graph:
  id: g
  ${more}
  nodes:
    - {id: Source, type: passthrough, config: {}}
    - id: Each
      type: agent
      config: {provider: openai, name: m, base_url: '${model.url}', api_key: k, params: {max_tokens: 10}}
  edges: [{from: Source, to: Each, dynamic: {type: map, config: {split_type: lines, max_parallel: 10}}}]
`,
    vocabulary,
  );

const units = (count: number) => Array.from({ length: count }, (_, unit) => `unit ${unit}`).join('\n');
const refusedOnce =
  (headers: Readonly<Record<string, string>>) =>
  (n: number): Manner =>
    n === 1 ? { type: 'refuse', status: 429, headers } : { type: 'answer' };

it('delays all calls while a provider requests a pause, and occupies no worker', async () => {
  model = await startModelServer(refusedOnce({ 'retry-after': '3' }));
  const first = await stage.run(workflow(), 'first', undefined);
  expect(first.description.status).toBe('completed');
  const [refused, again] = model.requests;
  expect((again?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(3000);
  expect(first.journal.map(({ event }) => event.type)).toContain('activation.postponed');
});

it('delays calls that were not refused themselves', async () => {
  model = await startModelServer((n) =>
    n === 1
      ? { type: 'answer', headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '3s' } }
      : { type: 'answer' },
  );
  await stage.run(workflow(), 'first');
  const { description, journal } = await stage.run(workflow(), units(3));

  expect(description).toMatchObject({ status: 'completed', usage: { calls: 3 } });
  const [first, ...others] = model.requests.map(({ at }) => at);
  expect(Math.min(...others) - (first ?? 0)).toBeGreaterThanOrEqual(3000);
  const postponed = journal.filter(({ event }) => event.type === 'activation.postponed');
  expect(postponed).toHaveLength(3);
});

it('obeys the limits of an agent, and delays no other', async () => {
  model = await startModelServer();
  const limited = workflowIn(
    `
graph:
  id: limited
  nodes:
    - id: Slow
      type: agent
      config: {provider: openai, name: m, base_url: '${model.url}', api_key: k, rate_limit: {requests_per_minute: 1}, params: {max_tokens: 10}}
`,
    vocabulary,
  );
  const { runs } = stage.runtime;
  await stage.run(limited, 'first');
  const second = await runs.start({ workflow: limited, input: 'second' });
  for await (const { event } of runs.watch(second, '0', AbortSignal.timeout(10_000)))
    if (event.type === 'activation.postponed') break;

  const { description } = await stage.run(workflow(), units(3));

  expect(description.status).toBe('completed');
  expect(await runs.describe(second)).toMatchObject({ status: 'running' });
  expect(model.requests).toHaveLength(4);
  await runs.cancel(second, 'enough seen');
});

it('obeys the limits of a workflow', async () => {
  model = await startModelServer();
  const limits = 'rate_limits: [{name: m, requests_per_minute: 4}]';
  const run = await stage.runtime.runs.start({ workflow: workflow(limits), input: units(6) });
  const ended = { completed: 0, postponed: 0 };
  for await (const { event } of stage.runtime.runs.watch(run, '0', AbortSignal.timeout(20_000))) {
    if (event.type === 'step.completed') ended.completed++;
    if (event.type === 'activation.postponed') ended.postponed++;
    if (ended.completed + ended.postponed === 6) break;
  }

  expect(ended).toEqual({ completed: 4, postponed: 2 });
  expect(model.requests).toHaveLength(4);
  await stage.runtime.runs.cancel(run, 'enough seen');
});

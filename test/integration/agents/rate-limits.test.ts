import { createVocabulary } from '@millrace/catalog';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { longestReply } from '../../support/provider/longest-reply.ts';
import type { FakeProvider } from '../../support/provider/provider.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { entriesOf, untilEntry } from '../../support/runs/watching.ts';

const vocabulary = createVocabulary();

const installation = openBeforeEach(newInstallation);
const stage = openBeforeEach(() => openStage({ where: installation.where }));
let model: FakeProvider;
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
      config: {provider: openai, name: m, base_url: '${model.at('ok')}', api_key: k, params: {max_tokens: 10}}
  edges: [{from: Source, to: Each, dynamic: {type: map, config: {split_type: lines, max_parallel: 10}}}]
`,
    vocabulary,
  );

const units = (count: number) => Array.from({ length: count }, (_, unit) => `unit ${unit}`).join('\n');
it('delays all calls while a provider requests a pause, and occupies no worker', async () => {
  model = await startFakeProvider({
    reply: (turn, n) =>
      n === 1 ? { refuse: 429, message: 'not now', headers: { 'retry-after': '3' } } : longestReply(turn),
  });
  const first = await stage.run(workflow(), 'first', undefined);
  expect(first.description.status).toBe('completed');
  const [refused, again] = model.requests;
  expect((again?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(3000);
  expect(first.journal.map(({ event }) => event.type)).toContain('activation.postponed');
});

it('delays calls that were not refused themselves', async () => {
  const headers = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '3s' };
  model = await startFakeProvider({ reply: (turn, n) => ({ ...longestReply(turn), ...(n === 1 && { headers }) }) });
  await stage.run(workflow(), 'first');
  const { description, journal } = await stage.run(workflow(), units(3));

  expect(description).toMatchObject({ status: 'completed', usage: { calls: 3 } });
  const [first, ...others] = model.requests.map(({ at }) => at);
  expect(Math.min(...others) - (first ?? 0)).toBeGreaterThanOrEqual(3000);
  const postponed = journal.filter(({ event }) => event.type === 'activation.postponed');
  // A call whose wait is nearly over waits where it is.
  expect(postponed.length).toBeGreaterThan(0);
});

it('obeys the limits of an agent, and delays no other', async () => {
  model = await startFakeProvider({ reply: longestReply });
  const limited = workflowIn(
    `
graph:
  id: limited
  nodes:
    - id: Slow
      type: agent
      config: {provider: openai, name: m, base_url: '${model.at('ok')}', api_key: k, rate_limit: {requests_per_minute: 1}, params: {max_tokens: 10}}
`,
    vocabulary,
  );
  const { runs } = stage.runtime;
  await stage.run(limited, 'first');
  const second = await runs.start({ workflow: limited, input: 'second' });
  await untilEntry(runs, second, ({ event }) => event.type === 'activation.postponed');

  const { description } = await stage.run(workflow(), units(3));

  expect(description.status).toBe('completed');
  expect(await runs.describe(second)).toMatchObject({ status: 'running' });
  expect(model.requests).toHaveLength(4);
  await runs.cancel(second, 'enough seen');
});

it('obeys the limits of a workflow', async () => {
  model = await startFakeProvider({ reply: longestReply });
  const limits = 'rate_limits: [{name: m, requests_per_minute: 4}]';
  const run = await stage.runtime.runs.start({ workflow: workflow(limits), input: units(6) });
  const ended = { completed: 0, postponed: 0 };
  for await (const { event } of entriesOf(stage.runtime.runs, run)) {
    if (event.type === 'step.completed') ended.completed++;
    if (event.type === 'activation.postponed') ended.postponed++;
    if (ended.completed + ended.postponed === 6) break;
  }

  expect(ended).toEqual({ completed: 4, postponed: 2 });
  expect(model.requests).toHaveLength(4);
  await stage.runtime.runs.cancel(run, 'enough seen');
});

import { createVocabulary } from '@millrace/catalog';
import type { ModelList } from '@millrace/core';
import { openRuntime } from '@millrace/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { openBeforeAll, openBeforeEach } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { openStage } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';
import { waitUntil } from '../../support/waiting.ts';

const provider = openBeforeEach(() => startFakeProvider({}));
const installation = newInstallation();
const stage = openBeforeAll(() => openStage({ where: installation.where }));

const workflow = () => `graph:
  id: g
  nodes:
    - id: A
      type: agent
      config: {provider: openai, name: house-model, base_url: '${provider.at('compatible')}', api_key: k}
  edges: []
`;
const listOf = (dollars: number): ModelList => ({
  source: 'a list',
  dated: '2026-11-27',
  models: { 'house-model': { vendor: 'house', price: { input: dollars, output: dollars } } },
});

/** Another process of the installation. */
async function openOther() {
  const runtime = await openRuntime(installation.where, createVocabulary(), () => undefined);
  onTestFinished(() => runtime.close());
  return runtime;
}

/** Updates the table in another process, and waits until the worker of the stage uses it. */
async function update(dollars: number): Promise<void> {
  await (await openOther()).models.update(listOf(dollars), { acceptDrops: true });
  await waitUntil(() => priceIn(stage.vocabulary)?.price.input === dollars);
}

const priceIn = ({ models }: typeof stage.vocabulary) => models().price({ provider: 'openai', model: 'house-model' });

it('lets running workers count with an updated table, and replays with what was recorded', async () => {
  provider.say('house-model', ...Array.from({ length: 2 }, () => ({ text: 'Hi.', usage: { input: 100, output: 10 } })));
  await update(1);
  const before = await stage.run(workflow(), 'hi');
  await update(3);
  const replay = await stage.runtime.runs.replay(before.description.run);
  await untilEnded(stage.runtime.runs, replay);
  const after = await stage.run(workflow(), 'hi');

  expect(before.description.usage.microUsd).toBe(110);
  expect(await stage.runtime.runs.describe(replay)).toMatchObject({ status: 'completed', usage: { calls: 0 } });
  expect(after.description.usage.microUsd).toBe(330);
  expect(provider.requests).toHaveLength(2);
});

it('is known to a process that starts later', async () => {
  await update(2);
  const vocabulary = createVocabulary();
  const later = await openRuntime(installation.where, vocabulary, () => undefined);
  onTestFinished(() => later.close());

  expect(priceIn(vocabulary)).toMatchObject({ price: { input: 2, source: 'a list' }, rates: expect.any(String) });
});

it('refuses a fall of more than half until it is accepted, and stores nothing for a comparison', async () => {
  await update(8);
  const { models } = await openOther();
  const fall = listOf(3);

  expect(await models.update(fall, { dryRun: true })).toMatchObject([{ model: 'house-model', isDrop: true }]);
  await expect(models.update(fall, {})).rejects.toMatchObject({ code: 'MODEL_LIST_DROPS' });
  expect(await models.update(listOf(8), { dryRun: true })).toEqual([]);
});

it('keeps both of two updates at the same time', async () => {
  const one = await openOther();
  const two = await openOther();
  await Promise.all([one.models.update(listOf(20), {}), two.models.update(listOf(20), {})]);

  expect(await one.models.update(listOf(20), { dryRun: true })).toEqual([]);
});

it('reports an entry that it cannot read, and goes on with the shipped table', async () => {
  const { store } = await openOther();
  await store.registry.write('models', 'table', '{"models": {"house-model": {"price": "free"}}}');
  const reported: string[] = [];
  const vocabulary = createVocabulary();
  const runtime = await openRuntime(installation.where, vocabulary, (message) => void reported.push(message));
  onTestFinished(() => runtime.close());

  expect(reported.join()).toContain('not usable');
  expect(priceIn(vocabulary)).toBeUndefined();
  expect(vocabulary.models().names()).toContain('gpt-6-sol');
});

import type { ModelTable } from '@millrace/core';
import { createModelLookup } from '@millrace/core';
import { expect, it } from 'vitest';
import { createLocalRegistry } from '../adapters/memory/store/local-registry.ts';
import { createLocalBroadcast } from '../ports/broadcast.ts';
import { createInstalledModels } from './installed-models.ts';

/** Processes of one installation, each with the table that it uses and with what it has reported. */
function openInstallation() {
  const registry = createLocalRegistry(() => 0);
  const broadcast = createLocalBroadcast();
  const startProcess = () => {
    let used: ModelTable | undefined;
    const reported: string[] = [];
    const listed = () => createModelLookup(used === undefined ? [] : [{ origin: 'list', table: used }]);
    const models = createInstalledModels({
      store: { registry, durable: true },
      tables: {
        listed,
        lookup: listed,
        install(table) {
          used = table;
        },
      },
      broadcast,
      report: (message) => reported.push(message),
    });
    return { models, reported, price: () => used?.models?.['house']?.price?.input };
  };
  return { registry, startProcess };
}

const listOf = (input: number) => ({
  source: 'a list',
  dated: '2026-11-27',
  models: { house: { price: { input, output: input } } },
});

it('keeps the table in use while the stored one cannot be used, until an update replaces that', async () => {
  const { registry, startProcess } = openInstallation();
  const first = startProcess();
  await first.models.update(listOf(2), {});
  const before = await registry.read('models', 'table');
  await registry.exchange('models', 'table', { before, after: '{"models": {"house": {"price": "free"}}}' });

  await first.models.read();
  const later = startProcess();
  await later.models.read();

  expect([first.price(), later.price()]).toEqual([2, undefined]);
  for (const { reported } of [first, later]) expect(reported).toEqual([expect.stringContaining('is not usable')]);
  await later.models.update(listOf(3), {});
  await first.models.read();
  expect([first.price(), later.price()]).toEqual([3, 3]);
});

it('keeps the models of earlier lists that a later one does not name, unless that is accepted', async () => {
  const { startProcess } = openInstallation();
  const { models, price } = startProcess();
  await models.update(listOf(2), {});
  const other = { ...listOf(5), models: { mansion: { price: { input: 5, output: 5 } } } };

  await expect(models.update(other, {})).rejects.toMatchObject({ code: 'MODEL_LIST_DROPS' });

  expect(price()).toBe(2);
  await models.update(other, { acceptDrops: true });
  expect(price()).toBeUndefined();
});

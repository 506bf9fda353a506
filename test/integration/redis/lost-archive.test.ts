import { createVocabulary } from '@millrace/catalog';
import { openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { journalOf } from '../../support/runs/audit.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();
const { where } = newInstallation();
const runtime = openBeforeAll(() => openRuntime(where, vocabulary, () => undefined));

const waiting = `
graph:
  id: waiting
  nodes: [{ id: Wait, type: wait_for, config: { event: go } }]
`;

it('removes nothing for an archived part whose commit a failover has lost', async () => {
  const { runs, store } = runtime;
  const run = await runs.start({ workflow: workflowIn(waiting, vocabulary), input: 'x' });
  for (let at = 0; at < 3; at++) await runs.signal(run, { name: 'go', data: at });
  const before = await journalOf(store, run);
  const body = await store.bodies(run, ['m1']);

  const lost = { to: 3, digest: 'f'.repeat(64), messages: 1, activations: 1 };
  await store.archive?.trim(run, lost);
  await store.archive?.sweep(run, lost, new Set());

  expect(await journalOf(store, run)).toEqual(before);
  expect(await store.bodies(run, ['m1'])).toEqual(body);
});

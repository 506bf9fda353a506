import { expect, it } from 'vitest';
import { createLocalRegistry } from '../adapters/memory/store/local-registry.ts';
import { createWebhooks } from './webhooks.ts';

it('refuses more than 100 webhooks of a tenant, until one is removed', async () => {
  const store = { registry: createLocalRegistry(() => 0), now: () => 0 };
  const webhooks = createWebhooks(store, 'acme');
  const wanted = { url: 'http://127.0.0.1:8080/', events: ['run.failed'] } as const;
  const create = () => webhooks.create(wanted, () => 'sealed');
  const first = await create();
  for (let count = 1; count < 100; count += 1) await create();

  await expect(create()).rejects.toMatchObject({ code: 'WEBHOOKS_TOO_MANY' });
  expect(await createWebhooks(store, 'other').create(wanted, () => 'sealed')).toBeDefined();

  await webhooks.remove(first.id);
  await create();
  expect(await webhooks.list()).toHaveLength(100);
});

it('keeps the attempts of two processes that make them at the same time, and none of a removed webhook', async () => {
  const store = { registry: createLocalRegistry(() => 0), now: () => 0 };
  const webhooks = createWebhooks(store, 'acme');
  const { id } = await webhooks.create({ url: 'http://127.0.0.1:8080/', events: ['run.failed'] }, () => 'sealed');
  const [one, other] = [webhooks.deliveries(id), createWebhooks(store, 'acme').deliveries(id)];
  const delivery = await one.addTest('x', 1);
  const attempt = (at: number) => ({ state: 'failed', attempt: { at, tookMs: 1 } }) as const;

  await Promise.all([one.update(delivery.id, attempt(1)), other.update(delivery.id, attempt(2))]);

  expect((await one.find(delivery.id)).attempts.map(({ at }) => at).sort()).toEqual([1, 2]);
  await webhooks.remove(id);
  await other.update(delivery.id, attempt(3));
  expect(await one.page('', 10)).toEqual([]);
});

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

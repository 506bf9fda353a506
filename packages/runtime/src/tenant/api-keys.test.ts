import { expect, it, onTestFinished, vi } from 'vitest';
import { createLocalRegistry } from '../adapters/memory/store/local-registry.ts';
import { createApiKeys } from './api-keys.ts';

it('refuses a key within a second after another process has revoked it', async () => {
  let time = 1000;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => time);
  onTestFinished(() => clock.mockRestore());
  const registry = createLocalRegistry(() => 0);
  const reads = vi.spyOn(registry, 'read');
  const store = { registry, now: () => 0 };
  const server = createApiKeys(store);
  const { key, secret } = await server.create({ tenant: 'acme', scopes: ['read'] });
  for (let request = 0; request < 3; request += 1) expect(await server.identify(secret)).toMatchObject({ id: key.id });
  expect(reads).toHaveBeenCalledTimes(1);

  await createApiKeys(store).revoke('acme', key.id);
  time += 999;

  expect(await server.identify(secret)).toBeUndefined();
});

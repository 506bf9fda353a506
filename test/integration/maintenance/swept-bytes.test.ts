import { expect, it, vi } from 'vitest';
import { newInstallation } from '../../support/redis/installation.ts';
import { openStage } from '../../support/runs/stage.ts';

const installation = newInstallation();

it.each([
  ['memory', () => ({ local: true }) as const],
  ['Redis', () => installation.where],
])(
  'the caretaker of an installation in %s compares the counted bytes of tenants with what exists',
  async (_store, where) => {
    const stage = await openStage({ where: where() });
    const { store } = stage.runtime;
    const file = { id: 'file_1', name: 'a', size: 7, mimeType: 'text/plain', digest: 'd', createdAt: store.now() };
    // As a process leaves it that died between the two.
    await store.registry.add('files/acme', file.id, JSON.stringify(file));

    stage.runtime.startCaretaker();

    await vi.waitUntil(async () => (await store.stored.total('acme')) === 7, { timeout: 30_000 });
    expect(await store.stored.tenants()).toEqual([{ tenant: 'acme', bytes: 7 }]);
    await stage.close();
  },
);

import { createMemoryStore, realClock } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { storeContract } from '../store/store.ts';

storeContract('in memory', async () => {
  const store = createMemoryStore();
  return { store, other: store, close: () => store.close() };
});

it('uses the given clock, in whole milliseconds', () => {
  const times = [1000.7, 1100];
  const store = createMemoryStore({ clock: { ...realClock, now: () => times.shift() ?? 0 } });

  expect([store.now(), store.now()]).toEqual([1000, 1100]);
  expect(store.durable).toBe(false);
});

import type { FastifyRateLimitStore } from '@fastify/rate-limit';
import { expect, it } from 'vitest';
import type { CountingOptions } from './http-limits.ts';
import { requestCounter } from './http-limits.ts';

/** Returns the count after one more request of a caller. */
function counting(options: CountingOptions): (caller: string) => Promise<number | undefined> {
  const Store = requestCounter(options);
  const store: FastifyRateLimitStore = new Store({});
  return (caller) =>
    new Promise((resolve, reject) => {
      store.incr(caller, (error, result) => (error === null ? resolve(result?.current) : reject(error)), 60_000, 10);
    });
}

const shared = (count: number) => ({ add: async () => ({ count, remainingMs: 1000 }) });

it('counts with other servers', async () => {
  const count = counting({ counts: shared(7), outages: { current: () => undefined } });

  expect(await count('one')).toBe(7);
});

it('counts alone, each caller separately, while Redis is away, slow, or refuses', async () => {
  const outage = { code: 'REDIS_UNREACHABLE' } as never;
  const away = counting({ counts: shared(7), outages: { current: () => outage } });
  const slow = counting({ counts: { add: () => new Promise(() => undefined) }, outages: undefined });
  const refusing = counting({ counts: { add: () => Promise.reject(new Error('NOPERM')) }, outages: undefined });

  for (const count of [away, slow, refusing])
    expect([await count('one'), await count('two'), await count('one')]).toEqual([1, 1, 2]);
});

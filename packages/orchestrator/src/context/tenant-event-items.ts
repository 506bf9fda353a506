import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantEvent, TenantEventSource } from '@millrace/api';

/** Yields the events of a tenant, and its numbers of runs after each gap and every `countEveryMs`. */
export async function* tenantEventItems(
  { events, count }: TenantEventSource,
  countEveryMs: number,
): AsyncGenerator<TenantEvent> {
  const iterator = events[Symbol.asyncIterator]();
  let next = iterator.next();
  let countAt = performance.now() + countEveryMs;
  try {
    for (;;) {
      const timer = new AbortController();
      const due = sleep(Math.max(0, countAt - performance.now()), 'due' as const, { signal: timer.signal });
      const first = await Promise.race([next, due]).finally(() => timer.abort());
      due.catch(() => undefined);
      if (first !== 'due') {
        if (first.done === true) return;
        yield first.value;
        next = iterator.next();
      }
      if (first === 'due' || first.value.type === 'gap') {
        yield { type: 'counts', runs: await count() };
        countAt = performance.now() + countEveryMs;
      }
    }
  } finally {
    await iterator.return?.(undefined);
  }
}

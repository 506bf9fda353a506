import type { Outage } from './outage.ts';
import { refusedBy } from './outage.ts';

/** Kind of access to Redis that a piece of work needs. */
export type Needs = 'reads' | 'writes';

interface Waiter {
  readonly needs: Needs;
  readonly since: number;
  reject(error: Error): void;
}

/** Time for which work that cannot wait for the end of an outage waits, in milliseconds. */
const waitLimitMs = 1000;

/** Work that needs Redis and cannot wait for the end of an outage. */
export class BoundedWork {
  readonly #waiters = new Set<Waiter>();

  /** Executes work unless an outage blocks it; fails with RequestError when `refuse` does. */
  async run<T>(outage: Outage | undefined, needs: Needs, work: () => Promise<T>): Promise<T> {
    if (outage !== undefined && isStopped(needs, outage) && outage.code !== 'REDIS_FULL') throw refusedBy(outage);
    let waiter: Waiter | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      waiter = { needs, since: performance.now(), reject };
      this.#waiters.add(waiter);
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      if (waiter !== undefined) this.#waiters.delete(waiter);
    }
  }

  /** Fails the work that an outage, which began at this time, has blocked for too long. */
  refuse(outage: Outage, began: number): void {
    const now = performance.now();
    for (const { needs, since, reject } of this.#waiters)
      if (isStopped(needs, outage) && now - Math.max(since, began) >= waitLimitMs) reject(refusedBy(outage));
  }
}

const isStopped = (needs: Needs, { stops }: Outage): boolean => needs === 'writes' || stops === 'everything';

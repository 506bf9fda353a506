import { LRUCache } from 'lru-cache';

/**
 * Cache of recent reads, by name. Concurrent reads of one name share one load. The least recently used entry is dropped
 * first.
 */
export class LruMap<T> {
  readonly #entries: LRUCache<string, Promise<T>>;

  /** Keeps `limit` entries, each for `forMs` milliseconds; without `forMs`, until it is dropped. */
  constructor({ forMs = 0, limit }: { readonly forMs?: number; readonly limit: number }) {
    // Each call reads the clock: a test that advances the clock, and a short `forMs`, are exact.
    this.#entries = new LRUCache({ max: limit, ttl: forMs, ttlResolution: 0 });
  }

  /** Returns the entry of a name, or else reads it; a failure is not remembered. */
  of(name: string, read: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const value = read();
    this.#entries.set(name, value);
    value.catch(() => {
      if (this.#entries.peek(name) === value) this.#entries.delete(name);
    });
    return value;
  }

  /** Drops the entry of a name, so that it is read again. */
  drop(name: string): void {
    this.#entries.delete(name);
  }
}

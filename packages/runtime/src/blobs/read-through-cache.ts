import { LRUCache } from 'lru-cache';

/**
 * Remembers what was read lately, by name, so that it is not read each time. Those who ask while it is being read wait for
 * the same reading. The entry that was not asked for for longest goes first.
 */
export class LruMap<T> {
  readonly #entries: LRUCache<string, Promise<T>>;

  /** Keeps `limit` entries, each for `forMs` milliseconds; without `forMs`, until it has to go. */
  constructor({ forMs = 0, limit }: { readonly forMs?: number; readonly limit: number }) {
    // A time is asked for with every call: a test that advances the clock, and a short `forMs`, are exact.
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
}

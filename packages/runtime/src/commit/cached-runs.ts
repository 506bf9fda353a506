import type { RunId } from '@millrace/core';
import type { CachedRun } from './transact.ts';
import { emptyCachedRun } from './transact.ts';

/**
 * Cache of the runs that this process works on, most recently used last. A dropped run is read again when it is needed,
 * so the limit only bounds memory; a run with commands in progress is never dropped.
 */
export class RunCacheEntries {
  readonly #cells = new Map<RunId, CachedRun>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the cached run; `version` 0 means that nothing has been read of it yet. */
  of(run: RunId): CachedRun {
    const known = this.#cells.get(run);
    if (known !== undefined) {
      this.#cells.delete(run);
      this.#cells.set(run, known);
      return known;
    }
    const cached = emptyCachedRun(run);
    this.#cells.set(run, cached);
    this.#shrink();
    return cached;
  }

  drop(run: RunId): void {
    const cached = this.#cells.get(run);
    if (cached !== undefined && cached.claims === 0) this.#cells.delete(run);
  }

  #shrink(): void {
    if (this.#cells.size <= this.#limit) return;
    for (const [run, cached] of this.#cells) {
      if (cached.claims > 0) continue;
      this.#cells.delete(run);
      if (this.#cells.size <= this.#limit) return;
    }
  }
}

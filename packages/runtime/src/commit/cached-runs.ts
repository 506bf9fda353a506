import type { RunId } from '@millrace/core';
import type { CachedRun } from './cached-run.ts';
import { emptyCachedRun } from './cached-run.ts';

/**
 * Cache of the runs that this process works on, most recently used last. A dropped run is read again when it is needed,
 * so the limit only bounds memory; a run with commands in progress is never dropped.
 */
export class RunCacheEntries {
  readonly #runs = new Map<RunId, CachedRun>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the cached run; `version` 0 means that nothing has been read of it yet. */
  of(run: RunId): CachedRun {
    const known = this.#runs.get(run);
    if (known !== undefined) {
      this.#runs.delete(run);
      this.#runs.set(run, known);
      return known;
    }
    const cached = emptyCachedRun(run);
    this.#runs.set(run, cached);
    this.#shrink();
    return cached;
  }

  /** Returns the runs that were read or committed. */
  stored(): readonly RunId[] {
    return [...this.#runs.values()].filter(({ version }) => version > 0).map(({ run }) => run);
  }

  drop(run: RunId): void {
    const cached = this.#runs.get(run);
    if (cached !== undefined && !cached.isLocked) this.#runs.delete(run);
  }

  #shrink(): void {
    if (this.#runs.size <= this.#limit) return;
    for (const [run, cached] of this.#runs) {
      if (cached.isLocked) continue;
      this.#runs.delete(run);
      if (this.#runs.size <= this.#limit) return;
    }
  }
}

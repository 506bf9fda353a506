import type { RunId } from '@millrace/core';
import { LRUCache } from 'lru-cache';

/** Maximum number of activations in a row that a run may put before those of others. */
const maxLength = 32;
/** Maximum time for which it may do so, in milliseconds: only work that takes hardly any time gains from it. */
const maxMs = 250;
/** Number of runs that are remembered. A run that is forgotten may begin a new streak. */
const maxRuns = 1_000;

interface Streak {
  readonly length: number;
  readonly since: number;
}

/**
 * Decides whether the next activation of a run goes to the front of its queue. The job that ends fetches it at once, so
 * the run stays with a worker that knows its state; in another process it would have to be read from the store. The
 * limits let the activations of other runs through.
 */
export class Streaks {
  readonly #streaks = new LRUCache<RunId, Streak>({ max: maxRuns });

  /** Counts an activation that follows from active work; returns whether it may go first. */
  goesFirst(run: RunId): boolean {
    const now = performance.now();
    const { length, since } = this.#streaks.get(run) ?? { length: 0, since: now };
    if (length < maxLength && now - since < maxMs) {
      this.#streaks.set(run, { length: length + 1, since });
      return true;
    }
    this.#streaks.delete(run);
    return false;
  }
}

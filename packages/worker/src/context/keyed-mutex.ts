import type { RunId } from '@millrace/core';

/** Lets what is to be done for one run be done one after the other in this process, in the order of asking. */
export class KeyedMutex {
  /** By run: when the last one who has asked is through. */
  readonly #last = new Map<RunId, Promise<void>>();

  /** Whether somebody is at it for this run. */
  isLocked(run: RunId): boolean {
    return this.#last.has(run);
  }

  /** Runs the action once no other one of its key runs; throws what the action throws. */
  async run<T>(run: RunId, action: () => Promise<T>): Promise<T> {
    const own = (this.#last.get(run) ?? Promise.resolve()).then(action);
    const through = own.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(run, through);
    try {
      return await own;
    } finally {
      if (this.#last.get(run) === through) this.#last.delete(run);
    }
  }
}

/** Lock for each key: the actions of one key run one after the other in this process, in the order of their calls. */
export class KeyedMutex {
  /** End of the last action, by key. */
  readonly #last = new Map<string, Promise<void>>();

  /** Returns whether an action of the key runs or waits. */
  isLocked(key: string): boolean {
    return this.#last.has(key);
  }

  /** Runs the action after all earlier ones of its key, also after one that failed. Throws what the action throws. */
  async run<T>(key: string, action: () => Promise<T>): Promise<T> {
    const own = (this.#last.get(key) ?? Promise.resolve()).then(action);
    const end = own.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, end);
    try {
      return await own;
    } finally {
      if (this.#last.get(key) === end) this.#last.delete(key);
    }
  }
}

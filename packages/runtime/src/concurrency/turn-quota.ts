/**
 * Limits the work that begins in one turn of the event loop, so that very many requests or replies that arrive at once do not
 * hold up everything else. Work that comes later begins in the next turns, in its order.
 */
export class TurnQuota {
  /** Number of pieces of work that may begin in one turn; more than that if they belong together. */
  readonly #most: number;
  #begun = 0;
  readonly #waiting: { readonly pieces: number; readonly begin: () => void }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns undefined when work of so many pieces may begin now, and otherwise a promise that is fulfilled when it may. */
  take(pieces: number): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#begun < this.#most) {
      if (this.#begun === 0) this.#endWithTurn();
      this.#begun += pieces;
      return undefined;
    }
    return new Promise((begin) => {
      if (this.#waiting.push({ pieces, begin }) === 1) setImmediate(() => this.#nextTurn());
    });
  }

  /** What follows from the present turn at once is executed before the next tick. */
  #endWithTurn(): void {
    process.nextTick(() => {
      this.#begun = 0;
    });
  }

  #nextTurn(): void {
    this.#endWithTurn();
    this.#begun = 0;
    while (this.#begun < this.#most) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#begun += next.pieces;
      next.begin();
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#nextTurn());
  }
}

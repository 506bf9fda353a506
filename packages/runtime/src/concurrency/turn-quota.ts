/** Work that waits for a turn. */
interface WaitingWork {
  readonly pieces: number;
  readonly begin: () => void;
}

/**
 * Limits the work that begins in one turn of the event loop, so that very many requests or replies that arrive at once do not
 * hold up everything else. Work that comes later begins in the next turns, in its order; what completes earlier work goes first.
 */
export class TurnQuota {
  /** Number of pieces of work that may begin in one turn; more than that if they belong together. */
  readonly #most: number;
  #begun = 0;
  readonly #completing: WaitingWork[] = [];
  readonly #new: WaitingWork[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Returns undefined when work of so many pieces may begin now, and otherwise a promise that is fulfilled when it may. While
   * new work waits, what completes earlier work gets at most three quarters of a turn.
   */
  take(pieces: number, { completes }: { readonly completes: boolean }): Promise<void> | undefined {
    if (!this.#isWaiting() && this.#begun < this.#most) {
      if (this.#begun === 0) this.#endWithTurn();
      this.#begun += pieces;
      return undefined;
    }
    if (!this.#isWaiting()) setImmediate(() => this.#nextTurn());
    return new Promise((begin) => {
      (completes ? this.#completing : this.#new).push({ pieces, begin });
    });
  }

  #isWaiting(): boolean {
    return this.#completing.length > 0 || this.#new.length > 0;
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
    this.#begin(this.#completing, this.#new.length > 0 ? (this.#most * 3) / 4 : this.#most);
    this.#begin(this.#new, this.#most);
    this.#begin(this.#completing, this.#most);
    if (this.#isWaiting()) setImmediate(() => this.#nextTurn());
  }

  /** Begins work until so many pieces have begun in this turn. */
  #begin(waiting: WaitingWork[], most: number): void {
    while (this.#begun < most) {
      const next = waiting.shift();
      if (next === undefined) return;
      this.#begun += next.pieces;
      next.begin();
    }
  }
}

/** An entry of a {@link TimeQueue}. */
export interface TimeEntry<T> {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly value: T;
}

interface Slot<T> extends TimeEntry<T> {
  /** Order of the additions, which decides between entries of one time. */
  readonly order: number;
  isRemoved: boolean;
}

/** Removed entries that a queue keeps before it is rebuilt without them, beside as many as it has others. */
const spare = 64;

/** Entries by their time: a binary heap, in which removed entries stay until they are first, or are too many. */
export class TimeQueue<T> {
  #heap: Slot<T>[] = [];
  #added = 0;
  #removed = 0;

  add(at: number, value: T): TimeEntry<T> {
    const slot: Slot<T> = { at, value, order: this.#added++, isRemoved: false };
    this.#heap.push(slot);
    this.#rise(this.#heap.length - 1);
    return slot;
  }

  /** Removes an entry of this queue; does nothing if it was removed before. */
  remove(entry: TimeEntry<T>): void {
    // All entries are made by `add`.
    const slot = entry as Slot<T>;
    if (slot.isRemoved) return;
    slot.isRemoved = true;
    this.#removed += 1;
    if (this.#removed <= this.#heap.length / 2 + spare) return;
    this.#heap = this.inOrder() as Slot<T>[];
    this.#removed = 0;
  }

  /** Returns the earliest entry; of several, the one that was added first. */
  first(): TimeEntry<T> | undefined {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (!top.isRemoved) return top;
      this.#removed -= 1;
      this.#dropFirst();
    }
    return undefined;
  }

  /** Number of entries that are in memory, removed ones included. */
  get heldEntries(): number {
    return this.#heap.length;
  }

  /** Returns all entries, the earliest first. */
  inOrder(): TimeEntry<T>[] {
    return this.#heap.filter(({ isRemoved }) => !isRemoved).sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  #dropFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      const [a, b] = [this.#heap[left], this.#heap[left + 1]];
      const child = a !== undefined && b !== undefined && isBefore(b, a) ? left + 1 : left;
      if (!this.#swapIfBefore(child, at)) return;
      at = child;
    }
  }

  /** Swaps two places if the entry of the first belongs before that of the second; returns whether it did. */
  #swapIfBefore(first: number, second: number): boolean {
    const [a, b] = [this.#heap[first], this.#heap[second]];
    if (a === undefined || b === undefined || !isBefore(a, b)) return false;
    this.#heap[first] = b;
    this.#heap[second] = a;
    return true;
  }
}

const isBefore = (a: Slot<unknown>, b: Slot<unknown>): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

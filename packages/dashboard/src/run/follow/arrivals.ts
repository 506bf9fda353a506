/** Shortest time between two changes while many events arrive, in milliseconds. */
const busyMs = 100;

/** Values that arrive one by one and are applied together. */
export interface Arrivals<T> {
  /** Adds a value. Returns true if it is held. */
  add(value: T): boolean;
  /** Applies the collected values at once, unless they are held. */
  flush(): void;
  /** Drops the collected values. */
  clear(): void;
  /** Returns true if more values were held than are kept: some are missing. */
  isOverfull(): boolean;
}

interface ArrivalsOptions<T> {
  readonly apply: (values: readonly T[]) => void;
  /** Returns true while values are held until the next flush. */
  readonly isHeld: () => boolean;
  /** Number of values that are kept. */
  readonly most: number;
}

/** Collects values until the next frame, or for a tenth of a second while many arrive. */
export function createArrivals<T>({ apply, isHeld, most }: ArrivalsOptions<T>): Arrivals<T> {
  let arrived: T[] = [];
  let isOverfull = false;
  let flushedAt = Number.NEGATIVE_INFINITY;
  let isDue = false;
  function flush(): void {
    isDue = false;
    if (isHeld() || arrived.length === 0) return;
    flushedAt = performance.now();
    const values = arrived;
    arrived = [];
    apply(values);
  }
  function plan(): void {
    isDue = true;
    const wait = Math.max(0, flushedAt + busyMs - performance.now());
    // A page that is not drawn has no frames.
    if (wait === 0 && document.visibilityState === 'visible') requestAnimationFrame(flush);
    else setTimeout(flush, wait);
  }
  return {
    add(value) {
      if (isHeld() && arrived.length >= most) isOverfull = true;
      else arrived.push(value);
      if (isHeld()) return true;
      if (!isDue) plan();
      return false;
    },
    flush,
    clear() {
      arrived = [];
      isOverfull = false;
    },
    isOverfull: () => isOverfull,
  };
}

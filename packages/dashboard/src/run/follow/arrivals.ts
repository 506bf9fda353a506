/** Shortest time between two changes while many events arrive, in milliseconds. */
const busyMs = 100;

/** Values that arrive one by one and are applied together. */
export interface Arrivals<T> {
  add(value: T): void;
  /** Applies what has arrived without waiting. */
  flush(): void;
}

/** Collects what arrives until the next frame, or for a tenth of a second while much arrives. */
export function createArrivals<T>(apply: (values: readonly T[]) => void): Arrivals<T> {
  let arrived: T[] = [];
  let flushedAt = 0;
  let isDue = false;
  function flush(): void {
    isDue = false;
    flushedAt = performance.now();
    const values = arrived;
    arrived = [];
    if (values.length > 0) apply(values);
  }
  return {
    add(value) {
      arrived.push(value);
      if (isDue) return;
      isDue = true;
      const wait = Math.max(0, flushedAt + busyMs - performance.now());
      // A page that is not drawn has no frames.
      if (wait === 0 && document.visibilityState === 'visible') requestAnimationFrame(flush);
      else setTimeout(flush, wait);
    },
    flush,
  };
}

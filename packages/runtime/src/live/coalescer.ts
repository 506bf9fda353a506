/** Passes the latest value of each key on, at most once in an interval. */
export interface Coalescer<T> {
  /** Passes a value on at once, or at the end of the interval if another value of the key was passed on within it. */
  put(key: string, value: T): void;
  close(): void;
}

/** Creates a coalescer. Timers do not keep the process alive. */
export function createCoalescer<T>(intervalMs: number, pass: (value: T) => void): Coalescer<T> {
  /** Keys of which a value was passed on within the interval; `next` is the latest value since then. */
  const recent = new Map<string, { next?: { readonly value: T } }>();
  const timers = new Set<NodeJS.Timeout>();

  function passOn(key: string, value: T): void {
    const entry: { next?: { readonly value: T } } = {};
    recent.set(key, entry);
    const timer = setTimeout(() => {
      timers.delete(timer);
      recent.delete(key);
      if (entry.next !== undefined) passOn(key, entry.next.value);
    }, intervalMs).unref();
    timers.add(timer);
    pass(value);
  }

  return {
    put(key, value) {
      const entry = recent.get(key);
      if (entry === undefined) passOn(key, value);
      else entry.next = { value };
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
      recent.clear();
    },
  };
}

/**
 * Time for everything that decides or waits by it. Real work, such as a call over the network or a program, takes real time
 * under every clock; it holds a virtual one.
 */
export interface Clock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Calls `act` after some time, unless the returned function was called before. */
  after(ms: number, act: () => void): () => void;
  /**
   * Declares work in hand until the returned function is called. A virtual clock stands still meanwhile; a real one does not
   * care.
   */
  hold(): () => void;
  /** Time moves as soon as nothing is in hand, so nothing that repeats itself for ever may wait by this clock. */
  readonly isVirtual: boolean;
}

/** Waits; rejects with the signal's reason when that is aborted first. */
export function sleep(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}

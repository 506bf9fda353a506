/** Waits for a time in milliseconds; throws the reason of the signal if it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const done = () => {
      signal?.removeEventListener('abort', broken);
      resolve();
    };
    const timer = setTimeout(done, ms);
    const broken = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', broken, { once: true });
  });
}

/** Returns the delay before an attempt: exponential, with jitter. */
export const backoffMs = (attempt: number, mostMs: number): number =>
  Math.min(mostMs, 200 * 2 ** attempt) * (0.5 + Math.random() / 2);

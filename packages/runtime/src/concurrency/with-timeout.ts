/**
 * Settles as the promise does, or rejects with the error of `onTimeout` after `timeoutMs` milliseconds. A later failure of
 * the promise is ignored, and what has arrived meanwhile counts although this process was too busy to look at it.
 */
export async function withTimeout<T>(promise: Promise<T>, timeoutMs: number, onTimeout: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    // Timers go before what has arrived, and that before immediates.
    timer = setTimeout(() => setImmediate(() => reject(onTimeout())), timeoutMs);
  });
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

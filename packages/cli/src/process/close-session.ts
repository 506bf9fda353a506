import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '@millrace/runtime';

/** Closes something that a session has opened. */
export type Closer = () => Promise<void> | void;

/** Interval of the checks of whether closing can still succeed, in milliseconds. */
const everyMs = 250;
/** Minimum duration of an outage of Redis that ends the wait, in milliseconds. */
const closeTimeoutMs = 1000;

/**
 * Closes the resources of a session one after the other. Stops waiting if Redis is unreachable and this process has no
 * active work whose result could be lost: an ending command must not wait for the end of an outage.
 */
export async function closeSession(
  closers: readonly Closer[],
  { runtime, pending }: { readonly runtime: Runtime | undefined; readonly pending: () => number },
): Promise<void> {
  const over = new AbortController();
  const closing = (async () => {
    for (const close of closers) await close();
  })();
  closing.catch(() => undefined);
  const isInVain = () =>
    runtime?.shared?.outages.current() !== undefined && runtime.shared.activeJobs.count === 0 && pending() === 0;
  try {
    await Promise.race([closing, untilLasting(isInVain, over.signal)]);
  } finally {
    over.abort();
  }
}

/** Waits until a condition has held for some time; never resolves if the signal is aborted before. */
async function untilLasting(holds: () => boolean, signal: AbortSignal): Promise<void> {
  let since: number | undefined;
  while (since === undefined || performance.now() - since < closeTimeoutMs) {
    await sleep(everyMs);
    if (signal.aborted) await new Promise(() => undefined);
    since = holds() ? (since ?? performance.now()) : undefined;
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Runtime } from '@millrace/runtime';

/** Closes something that a session has opened. */
export type Closer = () => Promise<void> | void;

/** Between two looks at whether closing still has a point. */
const everyMs = 250;
/** An outage of Redis that is over by then does not cut short what is being closed. */
const closeTimeoutMs = 1000;

/**
 * Closes what a session has opened, one after the other. Gives up when that waits for a Redis that is away, and this
 * process has no work in hand whose result could be lost: whoever ends must not wait for the end of an outage.
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
    runtime?.outages?.current() !== undefined && (runtime.activeJobs?.count ?? 0) === 0 && pending() === 0;
  try {
    await Promise.race([closing, untilLasting(isInVain, over.signal)]);
  } finally {
    over.abort();
  }
}

/** Waits until something has held for a while; for ever when the signal is aborted before. */
async function untilLasting(holds: () => boolean, signal: AbortSignal): Promise<void> {
  let since: number | undefined;
  while (since === undefined || performance.now() - since < closeTimeoutMs) {
    await pause(everyMs);
    if (signal.aborted) await new Promise(() => undefined);
    since = holds() ? (since ?? performance.now()) : undefined;
  }
}

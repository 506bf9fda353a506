import type { Client } from '../client.ts';
import type { TenantEvent } from '../generated/schemas.ts';
import type { Duration } from '../http/duration.ts';
import { toMilliseconds } from '../http/duration.ts';
import { createRetryWindow, defaultRetryWindowMs } from '../http/retry-window.ts';
import { backoffMs, sleep } from '../http/sleep.ts';

/** Options of watching the events of a tenant. */
export interface WatchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Time that the server may be away before it is given up; default 5 minutes. */
  readonly patience?: Duration;
}

const maxReconnectDelayMs = 5_000;

/**
 * Yields events until the signal is aborted, over as many connections as it takes; each begins with the event `gap`. Throws
 * ConnectionError or ApiProblem when the server does not come back, or refuses.
 */
export async function* watchEvents(client: Client, { signal, patience }: WatchOptions): AsyncGenerator<TenantEvent> {
  const retryWindow = createRetryWindow(patience === undefined ? defaultRetryWindowMs : toMilliseconds(patience));
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const event of await client.live('events.watch', {}, { signal })) {
        retryWindow.reset();
        failures = 0;
        yield event;
      }
      signal?.throwIfAborted();
    } catch (error) {
      signal?.throwIfAborted();
      retryWindow.check(error);
    }
    await sleep(backoffMs(failures, maxReconnectDelayMs), signal);
  }
}

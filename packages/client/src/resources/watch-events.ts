import type { Client } from '../client.ts';
import type { TenantEvent } from '../generated/schemas.ts';
import type { Duration } from '../http/duration.ts';
import { toMilliseconds } from '../http/duration.ts';
import { createRetryWindow, defaultRetryWindowMs } from '../http/retry-window.ts';
import { backoffMs, sleep } from '../http/sleep.ts';

/** Options of watching the events of a tenant. */
export interface WatchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Time that the server may be unreachable before the method throws; default 5 minutes. */
  readonly patience?: Duration;
}

const maxReconnectDelayMs = 5_000;

/**
 * Yields events until the signal is aborted, and reconnects as needed; each connection begins with the event `gap`. Throws
 * ConnectionError if the server stays unreachable, and ApiProblem if it refuses.
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

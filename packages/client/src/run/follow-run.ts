import type { Client, StreamEvent } from '../client.ts';
import { createRetryWindow } from '../http/retry-window.ts';
import { backoffMs, sleep } from '../http/sleep.ts';

/** Options of following a run. */
export interface RunStreamOptions {
  /** Id of the last event that was seen; absent: from the beginning. */
  readonly after?: string | undefined;
  /** Includes live output of steps. */
  readonly live: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Time that the server may be unreachable before the method throws, in milliseconds. */
  readonly retryWindowMs: number;
}

const maxReconnectDelayMs = 5_000;

/**
 * Follows a run until it has finished, and reconnects as needed. Each connection continues after the last event of the
 * previous one, so each event is yielded exactly once. Throws ConnectionError if the server stays unreachable, and
 * ApiProblem if it refuses.
 */
export async function* followRun(
  client: Client,
  run: string,
  streamOptions: RunStreamOptions,
): AsyncGenerator<StreamEvent> {
  const { signal, live } = streamOptions;
  const wanted = { id: run, ...(live ? {} : { live: 'false' as const }) };
  const retryWindow = createRetryWindow(streamOptions.retryWindowMs);
  let { after } = streamOptions;
  let finished = false;
  let failures = 0;
  for (;;) {
    try {
      const stream = await client.events('runs.events', { ...wanted, 'last-event-id': after }, { signal });
      if (stream === undefined) return;
      retryWindow.reset();
      for await (const streamEvent of stream) {
        failures = 0;
        if (streamEvent.type === 'event') {
          after = streamEvent.event.id;
          finished = streamEvent.event.event.type === 'run.finished';
        }
        yield streamEvent;
      }
      signal?.throwIfAborted();
    } catch (error) {
      signal?.throwIfAborted();
      // The run may have been resumed since; all events up to this end were yielded.
      if (finished) return;
      retryWindow.check(error);
    }
    await rest(failures, signal);
    failures += 1;
  }
}

/** Waits before the next connection: a server that restarts closes its streams, and needs a moment. */
async function rest(failures: number, signal: AbortSignal | undefined): Promise<void> {
  if (failures > 0) await sleep(backoffMs(failures, maxReconnectDelayMs), signal);
}

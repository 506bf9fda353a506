import { setTimeout as sleep } from 'node:timers/promises';
import type { Outbox, OutboxEntry } from '@millrace/runtime';
import { outageOf } from '@millrace/runtime';
import type { Logger } from 'pino';

/** Relay of outbox entries to webhooks and batches. */
export interface OutboxRelay {
  close(): Promise<void>;
}

/** Options of the outbox relay. */
export interface OutboxRelayOptions {
  readonly outbox: Outbox;
  /** Relays an entry; may be called again for the same one. */
  readonly handle: (notice: OutboxEntry) => Promise<void>;
  readonly log: Logger;
}

const delayMs = 1000;

/** Relays outbox entries as they arrive. An entry that cannot be relayed stays in the outbox and is retried. */
export function startOutboxRelay({ outbox, handle, log }: OutboxRelayOptions): OutboxRelay {
  const stop = new AbortController();
  const passOn = async (entry: OutboxEntry): Promise<readonly string[]> => {
    try {
      await handle(entry);
      return [entry.id];
    } catch (error) {
      if (outageOf(error) === undefined)
        log.error({ err: error, runId: entry.run }, 'an outbox entry could not be passed on; trying again');
      return [];
    }
  };
  const ended = (async () => {
    while (!stop.signal.aborted) {
      try {
        const taken = await outbox.take(stop.signal);
        await outbox.done((await Promise.all(taken.map(passOn))).flat());
      } catch (error) {
        if (outageOf(error) === undefined) log.warn({ err: error }, 'the outbox could not be read; trying again');
        await sleep(delayMs, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  })();
  return {
    async close() {
      stop.abort();
      await ended;
    },
  };
}

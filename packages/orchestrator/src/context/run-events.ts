import { setTimeout as sleep } from 'node:timers/promises';
import type { RunEvent, RunEventSource } from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { LiveEvent } from '@millrace/runtime';

/** Item of a stream; `quiet`: no item has arrived for some time. */
export type RunStreamItem =
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'live'; readonly event: LiveEvent }
  | { readonly type: 'quiet' };

/** Merges the journal of a run with the live output of its steps. Ends with the journal. */
export async function* runEvents({ entries, listen }: RunEventSource, quietMs: number): AsyncGenerator<RunStreamItem> {
  const over = new AbortController();
  const journal = reader(entries, (event) => ({ type: 'event', event }));
  const live = reader(listen?.(over.signal) ?? none(), (event) => ({ type: 'live', event }));
  try {
    while (!journal.ended) {
      const next = live.ended ? [journal] : [journal, live];
      const ready = await within(
        quietMs,
        next.map((one) => one.next()),
      ).catch(unlessGone);
      if (ready === 'gone') return;
      const item = ready === undefined ? quiet : ready.take();
      if (item !== undefined) yield item;
    }
  } finally {
    over.abort();
  }
}

const quiet: RunStreamItem = { type: 'quiet' };

/** Ends the stream when the run is removed; the next request of the client is refused. */
function unlessGone(error: unknown): 'gone' {
  if (error instanceof RequestError && error.code === 'RUN_UNKNOWN') return 'gone';
  throw error;
}

/** Reader of one of several sources; it keeps an item that was read in advance until it is taken. */
interface Reader {
  readonly ended: boolean;
  /** Resolves with the reader itself when an item is available. */
  next(): Promise<Reader>;
  take(): RunStreamItem | undefined;
}

function reader<T>(source: AsyncIterable<T>, itemOf: (item: T) => RunStreamItem): Reader {
  const iterator = source[Symbol.asyncIterator]();
  let reading: Promise<Reader> | undefined;
  let item: RunStreamItem | undefined;
  let ended = false;
  const self: Reader = {
    get ended() {
      return ended;
    },
    next() {
      reading ??= iterator.next().then(({ done, value }) => {
        ended = done === true;
        item = ended ? undefined : itemOf(value);
        return self;
      });
      return reading;
    },
    take() {
      reading = undefined;
      return item;
    },
  };
  return self;
}

async function* none(): AsyncGenerator<never> {}

/** Returns the first result; undefined after the time limit. */
async function within<T>(ms: number, awaited: readonly Promise<T>[]): Promise<T | undefined> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([...awaited, late]);
  } finally {
    timer.abort();
  }
}

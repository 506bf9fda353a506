import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { JournalEntry } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Utterance } from '@millrace/runtime';

/** Proxies drop connections on which nothing is heard for long. */
const heartbeatMs = 15_000;

/** What a client is told of a run. */
export interface StreamSource {
  readonly entries: AsyncIterable<JournalEntry>;
  /** What is said meanwhile, until the signal is aborted; absent: the client does not want it. */
  readonly listen?: (over: AbortSignal) => AsyncIterable<Utterance>;
}

/**
 * Journal entries as server-sent events; the id of each lets a client resume after it. What is said while steps are at
 * work comes between them as events `live`. These have no id, so that they change nothing about where a client resumes.
 */
export const eventStream = (source: StreamSource): Readable => Readable.from(frames(source), { objectMode: false });

async function* frames({ entries, listen }: StreamSource): AsyncGenerator<string> {
  yield 'retry: 1000\n\n';
  const over = new AbortController();
  const journal = reader(entries, (entry) => `id: ${entry.id}\ndata: ${JSON.stringify(entry)}\n\n`);
  const live = reader(listen?.(over.signal) ?? none(), (said) => `event: live\ndata: ${JSON.stringify(said)}\n\n`);
  try {
    while (!journal.ended) {
      const next = live.ended ? [journal] : [journal, live];
      const ready = await withHeartbeat(next.map((one) => one.next())).catch(unlessGone);
      if (ready === 'gone') return;
      const frame = ready?.take() ?? ': still here\n\n';
      if (frame !== '') yield frame;
    }
  } finally {
    over.abort();
  }
}

/** A run that goes ends its stream: a client that asks again is told so. */
function unlessGone(error: unknown): 'gone' {
  if (error instanceof RequestError && error.code === 'RUN_UNKNOWN') return 'gone';
  throw error;
}

/** One of several sources that are read in turns: what is read ahead is kept until it is taken. */
interface Reader {
  readonly ended: boolean;
  /** Fulfilled with the reader itself as soon as there is something to take. */
  next(): Promise<Reader>;
  take(): string;
}

function reader<T>(source: AsyncIterable<T>, frameOf: (item: T) => string): Reader {
  const iterator = source[Symbol.asyncIterator]();
  let reading: Promise<Reader> | undefined;
  let frame = '';
  let ended = false;
  const self: Reader = {
    get ended() {
      return ended;
    },
    next() {
      reading ??= iterator.next().then(({ done, value }) => {
        ended = done === true;
        frame = ended ? '' : frameOf(value);
        return self;
      });
      return reading;
    },
    take() {
      reading = undefined;
      return frame;
    },
  };
  return self;
}

async function* none(): AsyncGenerator<never> {}

async function withHeartbeat<T>(awaited: readonly Promise<T>[]): Promise<T | undefined> {
  const timer = new AbortController();
  const beat = pause(heartbeatMs, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([...awaited, beat]);
  } finally {
    timer.abort();
  }
}

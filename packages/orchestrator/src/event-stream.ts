import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { JournalEntry } from '@millrace/core';

/** Proxies drop connections on which nothing is heard for long. */
const heartbeatMs = 15_000;

/** Journal entries as server-sent events; the id of each lets a client resume after it. */
export const eventStream = (entries: AsyncIterable<JournalEntry>): Readable =>
  Readable.from(frames(entries), { objectMode: false });

async function* frames(entries: AsyncIterable<JournalEntry>): AsyncGenerator<string> {
  yield 'retry: 1000\n\n';
  const iterator = entries[Symbol.asyncIterator]();
  let next = iterator.next();
  for (;;) {
    const result = await withHeartbeat(next);
    if (result === undefined) {
      yield ': still here\n\n';
      continue;
    }
    if (result.done === true) return;
    yield `id: ${result.value.id}\ndata: ${JSON.stringify(result.value)}\n\n`;
    next = iterator.next();
  }
}

async function withHeartbeat<T>(next: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController();
  const beat = pause(heartbeatMs, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([next, beat]);
  } finally {
    timer.abort();
  }
}

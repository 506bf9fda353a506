import { Readable } from 'node:stream';
import type { RunEventSource } from '@millrace/api';
import type { RunStreamItem } from '../context/run-events.ts';
import { runEvents } from '../context/run-events.ts';

/** Interval of heartbeats, because proxies close connections without data. */
const heartbeatMs = 15_000;

/**
 * Returns journal entries as server-sent events; the id of each lets a client resume after it. Live events of steps
 * under way come between them as events `live`, without an id, so that they do not change where a client resumes.
 */
export const eventStream = (source: RunEventSource, closing: AbortSignal): Readable =>
  Readable.from(endedBy(closing, frames(source)), { objectMode: false });

async function* frames(source: RunEventSource): AsyncGenerator<string> {
  yield reconnect;
  for await (const item of runEvents(source, heartbeatMs)) yield frameOf(item);
}

/** Tells the client to connect again a second after the end of the stream, to another server if this one stops. */
export const reconnect = 'retry: 1000\n\n';

/** Ends the stream of a stopping server with that instruction. */
export async function* endedBy(closing: AbortSignal, frames: AsyncIterable<string>): AsyncGenerator<string> {
  yield* frames;
  if (closing.aborted) yield reconnect;
}

/** Headers of streams: caches do not store them, and proxies such as nginx forward each event at once. */
export const streamHeaders = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' } as const;

function frameOf(item: RunStreamItem): string {
  switch (item.type) {
    case 'event':
      return `id: ${item.event.id}\ndata: ${JSON.stringify(item.event)}\n\n`;
    case 'live':
      return `event: live\ndata: ${JSON.stringify(item.event)}\n\n`;
    case 'quiet':
      return ': still here\n\n';
  }
}

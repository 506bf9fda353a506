import { Readable } from 'node:stream';
import type { RunEventSource } from '@millrace/api';
import type { RunStreamItem } from '../context/run-events.ts';
import { runEvents } from '../context/run-events.ts';

/** Proxies drop connections on which nothing is heard for long. */
const heartbeatMs = 15_000;

/**
 * Returns journal entries as server-sent events; the id of each lets a client resume after it. Utterances of steps at work
 * come between them as events `live`, without ids, so that they change nothing about where a client resumes.
 */
export const eventStream = (source: RunEventSource): Readable => Readable.from(frames(source), { objectMode: false });

async function* frames(source: RunEventSource): AsyncGenerator<string> {
  yield 'retry: 1000\n\n';
  for await (const item of runEvents(source, heartbeatMs)) yield frameOf(item);
}

function frameOf(item: RunStreamItem): string {
  switch (item.type) {
    case 'event':
      return `id: ${item.event.id}\ndata: ${JSON.stringify(item.event)}\n\n`;
    case 'live':
      return `event: live\ndata: ${JSON.stringify(item.said)}\n\n`;
    case 'quiet':
      return ': still here\n\n';
  }
}

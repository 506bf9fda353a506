import type { EventSourceMessage } from 'eventsource-parser';
import { createParser } from 'eventsource-parser';
import type { StreamEvent } from '../client.ts';
import type { TenantEvent } from '../generated/schemas.ts';
import { sleep } from './sleep.ts';

/** Time without data after which a connection counts as broken, in milliseconds; the server sends a heartbeat every 15 seconds. */
const idleTimeoutMs = 45_000;

/** Yields the messages of one connection until it ends or breaks; the next connection shows if more follow. */
export async function* readStream<T>(
  body: ReadableStream<Uint8Array>,
  parse: (message: EventSourceMessage) => T,
): AsyncGenerator<T> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void messages.push(message) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const bytes = await readChunk(reader);
      if (bytes === undefined) return;
      parser.feed(decoder.decode(bytes, { stream: true }));
      for (const message of messages.splice(0)) yield parse(message);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Returns the next bytes; undefined if the connection has ended, has broken or is silent for too long. */
async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  const over = new AbortController();
  const silence = sleep(idleTimeoutMs, over.signal).catch(() => undefined);
  const broken = () => undefined;
  try {
    return await Promise.race([reader.read().then(({ value }) => value, broken), silence.then(broken)]);
  } finally {
    over.abort();
  }
}

/** Parses an event of a run, whose schema the server guarantees. */
export const parseStreamEvent = ({ event, data }: EventSourceMessage): StreamEvent =>
  event === 'live' ? { type: 'live', said: JSON.parse(data) } : { type: 'event', event: JSON.parse(data) };

/** Parses a live event. */
export const parseTenantEvent = ({ data }: EventSourceMessage): TenantEvent => JSON.parse(data);

import type { EventSourceMessage } from 'eventsource-parser';
import { createParser } from 'eventsource-parser';
import type { StreamEvent } from '../client.ts';
import type { TenantEvent } from '../generated/schemas.ts';
import { sleep } from './sleep.ts';

/** The server is heard every 15 seconds; a connection on which nothing comes for longer is dead. */
const idleTimeoutMs = 45_000;

/** Reads the messages of one connection until it ends or breaks; the next connection says whether more follows. */
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

/** Returns the next bytes; undefined when the connection has ended or broken, or nothing is heard for long. */
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

/** Reads an event of a run; the server writes them by its contract. */
export const parseStreamEvent = ({ event, data }: EventSourceMessage): StreamEvent =>
  event === 'live' ? { type: 'live', said: JSON.parse(data) } : { type: 'event', event: JSON.parse(data) };

/** Reads a live event. */
export const parseTenantEvent = ({ data }: EventSourceMessage): TenantEvent => JSON.parse(data);

import type { RunEvent, RunUtterance } from '@millrace/orchestrator';
import type { EventSourceMessage } from 'eventsource-parser';
import { createParser } from 'eventsource-parser';
import type { Http } from './http.ts';
import { backoffMs, pause } from './pause.ts';
import { ApiProblem, ConnectionError } from './problem.ts';

/** What a stream tells: an event of the journal, or what a step says while it is at work. */
export type Told =
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'live'; readonly said: RunUtterance };

/** How a stream is followed. */
export interface Following {
  /** Id of the last event that was seen; absent: from the beginning. */
  readonly after?: string | undefined;
  /** Whether what steps say while they are at work is told, too. */
  readonly live: boolean;
  readonly signal?: AbortSignal | undefined;
  /** How long the server may be away before it is given up, in milliseconds. */
  readonly patienceMs: number;
}

/** The server is heard every 15 seconds; a connection on which nothing comes for longer is dead. */
const silentMs = 45_000;
const longestPauseMs = 5_000;

/**
 * What happens in a run until it has finished, over as many connections as it takes: each goes on after the last event
 * of the one before, so none is missed and none comes twice.
 */
export async function* followRun(http: Http, run: string, following: Following): AsyncGenerator<Told> {
  let { after } = following;
  let lost = 0;
  let heardAt = Date.now();
  for (;;) {
    try {
      const stream = await opened(http, run, { ...following, after });
      if (stream === undefined) return;
      for await (const told of stream) {
        lost = 0;
        heardAt = Date.now();
        after = placeOf(told) ?? after;
        yield told;
      }
    } catch (error) {
      following.signal?.throwIfAborted();
      if (!isLoss(error) || Date.now() - heardAt > following.patienceMs) throw error;
    }
    // A server that restarts closes its streams; it is given a moment.
    if (lost > 0) await pause(backoffMs(lost, longestPauseMs), following.signal);
    lost += 1;
  }
}

const placeOf = (told: Told): string | undefined => (told.type === 'event' ? told.event.id : undefined);

/** Whether it may be otherwise with another connection. */
const isLoss = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof Lost ||
  (error instanceof ApiProblem && (error.status >= 500 || error.status === 429));

/** A connection has broken. */
class Lost extends Error {}

/** One connection; undefined when the run has finished and nothing follows. */
async function opened(http: Http, run: string, { after, live, signal }: Following) {
  const gone = new AbortController();
  const over = AbortSignal.any([gone.signal, ...(signal === undefined ? [] : [signal])]);
  const response = await http.ask(`v1/runs/${encodeURIComponent(run)}/events`, {
    query: { live: live ? undefined : false },
    headers: { accept: 'text/event-stream', 'last-event-id': after },
    signal: over,
  });
  if (response.status === 204 || response.body === null) return undefined;
  return told(response.body, gone);
}

async function* told(body: ReadableStream<Uint8Array>, gone: AbortController): AsyncGenerator<Told> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void messages.push(message) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await heard(reader);
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      for (const message of messages.splice(0)) yield toldBy(message);
    }
  } finally {
    gone.abort();
  }
}

/** What comes next. Throws Lost when the connection breaks, or nothing is heard for long. */
async function heard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<ReadableStreamReadResult<Uint8Array>> {
  const over = new AbortController();
  const silence = pause(silentMs, over.signal).then(() => {
    throw new Lost('Nothing was heard for long.');
  });
  silence.catch(() => undefined);
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (cause) {
    throw cause instanceof Lost ? cause : new Lost('The connection has broken.', { cause });
  } finally {
    over.abort();
  }
}

// The server writes them by its contract.
const toldBy = ({ event, data }: EventSourceMessage): Told =>
  event === 'live' ? { type: 'live', said: JSON.parse(data) } : { type: 'event', event: JSON.parse(data) };

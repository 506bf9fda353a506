import type { RunEvent, RunUtterance } from '@millrace/api';
import type { EventSourceMessage } from 'eventsource-parser';
import { createParser } from 'eventsource-parser';
import type { Http } from './http.ts';
import { ForeignAnswerError } from './problem.ts';
import { createRetryWindow } from './retry-window.ts';
import { backoffMs, sleep } from './sleep.ts';

/** What a stream tells: an event of the journal, or what a step says while it is at work. */
export type StreamEvent =
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'live'; readonly said: RunUtterance };

/** How a stream is followed. */
export interface RunStreamOptions {
  /** Id of the last event that was seen; absent: from the beginning. */
  readonly after?: string | undefined;
  /** Whether what steps say while they are at work is told, too. */
  readonly live: boolean;
  readonly signal?: AbortSignal | undefined;
  /** How long the server may be away before it is given up, in milliseconds. */
  readonly retryWindowMs: number;
}

/** The server is heard every 15 seconds; a connection on which nothing comes for longer is dead. */
const idleTimeoutMs = 45_000;
const maxReconnectDelayMs = 5_000;

/**
 * What happens in a run until it has finished, over as many connections as it takes: each goes on after the last event
 * of the one before, so none is missed and none comes twice. Throws ConnectionError or ApiProblem when the server does
 * not come back, or refuses.
 */
export async function* followRun(
  http: Http,
  run: string,
  streamOptions: RunStreamOptions,
): AsyncGenerator<StreamEvent> {
  const { signal } = streamOptions;
  const retryWindow = createRetryWindow(streamOptions.retryWindowMs);
  let { after } = streamOptions;
  let finished = false;
  let failures = 0;
  for (;;) {
    try {
      const stream = await openStream(http, run, { ...streamOptions, after });
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
      // It may have been resumed since, but what there was to tell of this end was told.
      if (finished) return;
      retryWindow.check(error);
    }
    // A server that restarts closes its streams; it is given a moment.
    if (failures > 0) await sleep(backoffMs(failures, maxReconnectDelayMs), signal);
    failures += 1;
  }
}

/** One connection; undefined when the run has finished and nothing follows. */
async function openStream(http: Http, run: string, { after, live, signal }: RunStreamOptions) {
  const response = await http.request(`v1/runs/${encodeURIComponent(run)}/events`, {
    query: { live: live ? undefined : false },
    headers: { accept: 'text/event-stream', 'last-event-id': after },
    signal,
  });
  if (response.status === 204 || response.body === null) return undefined;
  if (!isStream(response)) {
    // The connection may have broken already.
    await response.body.cancel().catch(() => undefined);
    throw new ForeignAnswerError(response);
  }
  return readEvents(response.body);
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** What a connection tells, until it ends or breaks: whether more follows, the next one says. */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void messages.push(message) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const bytes = await readChunk(reader);
      if (bytes === undefined) return;
      parser.feed(decoder.decode(bytes, { stream: true }));
      for (const message of messages.splice(0)) yield parseStreamEvent(message);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** What comes next; undefined when the connection has ended or broken, or nothing is heard for long. */
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

// The server writes them by its contract.
const parseStreamEvent = ({ event, data }: EventSourceMessage): StreamEvent =>
  event === 'live' ? { type: 'live', said: JSON.parse(data) } : { type: 'event', event: JSON.parse(data) };

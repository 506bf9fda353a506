const mebibyte = 1024 * 1024;
/** Maximum size of a response, in bytes. Streams repeat their contents several times, but are read in parts. */
const largest = { whole: 16 * mebibyte, streamed: 128 * mebibyte, event: 16 * mebibyte } as const;
/** Maximum size of a reply: of a response, and of an event and of the text of a stream. */
export const largestReply = largest.whole;

/** A `fetch` for the requests of one conversation with a server, with its observations, which do not depend on an SDK. */
export interface BoundedFetch<TooLarge extends Error = Error> {
  readonly fetch: typeof globalThis.fetch;
  /** Headers of the last response. */
  readonly headers: Headers | undefined;
  /** The last response was an error. */
  readonly refused: boolean;
  /** Error of the connection. */
  readonly broken: unknown;
  /** A response exceeded the maximum size; the rest was not read. */
  readonly tooLarge: TooLarge | undefined;
  /** Aborted with the same error, for conversations in which nobody waits for the response itself. */
  readonly exceeded: AbortSignal;
}

/**
 * Returns a `fetch` that reads responses up to their maximum size, so that no server can fill the worker's memory. `tooLarge`
 * makes the error of one that is larger.
 */
export function boundedFetch<TooLarge extends Error>(
  fetch: typeof globalThis.fetch,
  tooLarge: () => TooLarge,
): BoundedFetch<TooLarge> {
  const exceeded = new AbortController();
  const seen: { -readonly [Key in keyof BoundedFetch<TooLarge>]: BoundedFetch<TooLarge>[Key] } = {
    headers: undefined,
    refused: false,
    broken: undefined,
    tooLarge: undefined,
    exceeded: exceeded.signal,
    async fetch(input, init) {
      let response: Response;
      try {
        response = await fetch(input, init);
      } catch (error) {
        seen.broken = error;
        throw error;
      }
      seen.headers = response.headers;
      seen.refused = !response.ok;
      if (response.body === null) return response;
      const { status, statusText, headers } = response;
      const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
      return new Response(bounded(response.body, isStream), { status, statusText, headers });
    },
  };

  function bounded(body: ReadableStream<Uint8Array>, isStream: boolean): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    const isWithin = isStream ? eventsWithin() : wholeWithin();
    return new ReadableStream({
      async pull(controller) {
        const read = await reader.read().catch((error: unknown) => {
          seen.broken = error;
          throw error;
        });
        if (read.done) return controller.close();
        if (isWithin(read.value)) return controller.enqueue(read.value);
        seen.tooLarge = tooLarge();
        exceeded.abort(seen.tooLarge);
        await reader.cancel();
        throw seen.tooLarge;
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }

  return seen;
}

/** Returns whether a response is still within its limits with one more part. */
type Within = (part: Uint8Array) => boolean;

function wholeWithin(): Within {
  let size = 0;
  return ({ byteLength }) => {
    size += byteLength;
    return size <= largest.whole;
  };
}

/** Counts the bytes of a stream, and those since the last empty line, which ends an event. */
function eventsWithin(): Within {
  let size = 0;
  let event = 0;
  return (part) => {
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    const end = Math.max(...['\n\n', '\r\r', '\r\n\r\n'].map((empty) => bytes.lastIndexOf(empty)));
    size += bytes.length;
    event = end === -1 ? event + bytes.length : bytes.length - end;
    return size <= largest.streamed && event <= largest.event;
  };
}

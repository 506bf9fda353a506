import { ModelError } from './model-error.ts';

const mebibyte = 1024 * 1024;
/** Maximum size of a response, in bytes. Streams repeat their contents several times, but are read in parts. */
const largest = { whole: 16 * mebibyte, streamed: 128 * mebibyte } as const;
/** Maximum length of the text of a streamed reply, in characters. */
export const longestText = 16 * mebibyte;

/** A `fetch` for one model call, with its observations, which do not depend on the SDK. */
export interface BoundedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Headers of the last response. */
  readonly headers: Headers | undefined;
  /** The last response was an error. */
  readonly refused: boolean;
  /** Error of the connection. */
  readonly broken: unknown;
  /** The response exceeded the maximum size; the rest was not read. */
  readonly tooLarge: ModelError | undefined;
}

/** Returns the error of a reply that is too large. */
export const replyTooLarge = (model: string): ModelError =>
  new ModelError(
    'MODEL_REPLY_TOO_LARGE',
    `The reply of the model "${model}" is larger than ${largest.whole / mebibyte} MiB. Limit it with \`max_tokens\`, and check that \`base_url\` names a model API.`,
    { type: 'ValueError' },
  );

/** Returns a `fetch` that reads responses up to their maximum size, so that no server can fill the worker's memory. */
export function boundedFetch(model: string, fetch: typeof globalThis.fetch): BoundedFetch {
  const seen: { -readonly [Key in keyof BoundedFetch]: BoundedFetch[Key] } = {
    headers: undefined,
    refused: false,
    broken: undefined,
    tooLarge: undefined,
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
      const body = bounded(response.body, isStream ? largest.streamed : largest.whole);
      return new Response(body, { status, statusText, headers });
    },
  };

  function bounded(body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    let size = 0;
    return new ReadableStream({
      async pull(controller) {
        const read = await reader.read().catch((error: unknown) => {
          seen.broken = error;
          throw error;
        });
        if (read.done) return controller.close();
        size += read.value.byteLength;
        if (size <= limit) return controller.enqueue(read.value);
        seen.tooLarge = replyTooLarge(model);
        await reader.cancel();
        throw seen.tooLarge;
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }

  return seen;
}

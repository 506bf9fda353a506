import { ModelError } from './model-error.ts';

const mebibyte = 1024 * 1024;
/** How large a reply may be, in bytes. Streams say everything several times over, but are read piece by piece. */
const largest = { whole: 16 * mebibyte, streamed: 128 * mebibyte } as const;
/** How long the text of a streamed reply may be, in characters. */
export const longestText = 16 * mebibyte;

/** A `fetch` for one model call, and what it has seen, whatever an SDK makes of that. */
export interface BoundedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Headers of the last answer. */
  readonly headers: Headers | undefined;
  /** The last answer was an error. */
  readonly refused: boolean;
  /** Why the connection was not made or broke off. */
  readonly broken: unknown;
  /** The reply was larger than a reply may be; it was read no further. */
  readonly tooLarge: ModelError | undefined;
}

/** What a reply that is too large ends with. */
export const replyTooLarge = (model: string): ModelError =>
  new ModelError(
    'MODEL_REPLY_TOO_LARGE',
    `The model "${model}" gave a reply of more than ${largest.whole / mebibyte} MiB. Limit it with \`max_tokens\`, and check that \`base_url\` names a model API.`,
    { type: 'ValueError' },
  );

/** Reads replies no further than a reply may be large, so that no server can fill the worker's memory. */
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

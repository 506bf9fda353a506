import type { MessageLimits } from '@millrace/core';
import { boundedResponse, describeExceeded } from '@millrace/core';
import { ModelError } from './model-error.ts';
import type { ReportedError } from './reported-error.ts';
import { readReport } from './reported-error.ts';

const mebibyte = 1024 * 1024;
/**
 * Limits of one reply, and of one event of a streamed one. Vectors of embeddings, and
 * log probabilities, have the most values.
 */
const replyLimits: MessageLimits = { bytes: 16 * mebibyte, values: 2_000_000, depth: 200 };
/** Limits of a streamed reply: streams repeat their contents several times, but are read in parts. */
const streamLimits: MessageLimits = { ...replyLimits, streamBytes: 128 * mebibyte, messages: 500_000 };
/** Maximum length of the body of an error that SDKs get to read, in characters. */
const mostOfError = 100_000;
/** Maximum length of the text of a streamed reply, in characters. */
export const longestText = 16 * mebibyte;

/** A `fetch` for one model call, with its observations, which do not depend on the SDK. */
export interface BoundedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Headers of the last response. */
  readonly headers: Headers | undefined;
  /** The last response was an error. */
  readonly refused: boolean;
  /** What the server says about the error of the last response. */
  readonly report: ReportedError | undefined;
  /** Error of the connection. */
  readonly broken: unknown;
  /** The response exceeded a limit; the rest was not read. */
  readonly tooLarge: ModelError | undefined;
}

/** Returns the error of a reply that is too large; `how` continues after "The reply of the model". */
export const replyTooLarge = (model: string, how = describeExceeded('bytes', replyLimits)): ModelError =>
  new ModelError(
    'MODEL_REPLY_TOO_LARGE',
    `The reply of the model "${model}" ${how}. Limit it with \`max_tokens\`, and check that \`base_url\` names a model API.`,
    { type: 'ValueError' },
  );

/** Returns a `fetch` that reads responses up to their limits, so that no server can fill the worker's memory. */
export function boundedFetch(model: string, fetch: typeof globalThis.fetch): BoundedFetch {
  const seen: { -readonly [Key in keyof BoundedFetch]: BoundedFetch[Key] } = {
    headers: undefined,
    refused: false,
    report: undefined,
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
      const bounded = boundedResponse(response, {
        body: replyLimits,
        events: streamLimits,
        refuse(limit, limits) {
          seen.tooLarge = replyTooLarge(model, describeExceeded(limit, limits));
          return seen.tooLarge;
        },
        onBroken(error) {
          seen.broken = error;
        },
      });
      if (response.ok) return bounded;
      // SDKs keep only what has the form of their API, and some servers answer in another one.
      const text = (await bounded.text()).slice(0, mostOfError);
      seen.report = readReport(text);
      const { status, statusText, headers } = response;
      return new Response(text, { status, statusText, headers: withoutLength(headers) });
    },
  };
  return seen;
}

/** Returns headers without those of a body that was read and decoded. */
function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) kept.delete(name);
  return kept;
}

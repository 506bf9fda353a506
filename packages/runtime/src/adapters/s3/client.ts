import type { Readable } from 'node:stream';
import { readTextStart } from '@millrace/core';
import { AwsV4Signer } from 'aws4fetch';
import type { Dispatcher } from 'undici';
import { Agent, request } from 'undici';
import type { Report } from '../redis/connection/report.ts';
import type { S3Failure } from './failure.ts';
import { failureOfError, failureOfResponse } from './failure.ts';
import type { KeysProvider } from './keys-provider.ts';
import { createKeysProvider, KeysFailure } from './keys-provider.ts';
import type { S3Location } from './location.ts';
import { describeLocation, objectUrl } from './location.ts';
import type { AttemptResult } from './retry-window.ts';
import { RetryWindow } from './retry-window.ts';

/** A request for one object. */
export interface ObjectRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns the body from its beginning: it is sent again when the request is repeated. */
  readonly body?: () => Readable | Uint8Array;
  /** Further time that the store may take, in milliseconds. */
  readonly storesForMs?: number;
  /** Time for which the request is repeated while it fails; absent: the default. */
  readonly repeatsForMs?: number | undefined;
}

/** A response with a status from 200 to 299. */
export type ObjectResponse = Dispatcher.ResponseData;

const connectWithinMs = 5000;
/** Time within which more of a response must arrive. */
const continuesWithinMs = 30_000;
const maxConnections = 32;
/** Part of an error that is read, in bytes. */
const maxErrorBytes = 16 * 1024;

/** Options of a client. */
export interface ClientOptions {
  /** Time for which requests are repeated while they fail, in milliseconds; absent: the default. */
  readonly repeatsForMs?: number;
  /** Time within which a response must begin, in milliseconds; absent: the default. */
  readonly answersWithinMs?: number;
}

/** Sends signed requests to a location, and repeats them while they fail. Redirections are not followed. */
export class S3Client {
  /** Location for messages. */
  readonly name: string;
  readonly #location: S3Location;
  readonly #agent = new Agent({
    connections: maxConnections,
    connect: { timeout: connectWithinMs },
    bodyTimeout: continuesWithinMs,
  });
  readonly #keys: KeysProvider;
  readonly #retryWindow: RetryWindow;
  readonly #answersWithinMs: number;

  constructor(location: S3Location, report: Report, { repeatsForMs, answersWithinMs = 10_000 }: ClientOptions = {}) {
    this.#answersWithinMs = answersWithinMs;
    this.#location = location;
    this.name = describeLocation(location);
    this.#keys = createKeysProvider(location, this.#agent);
    this.#retryWindow = new RetryWindow(this.name, report, repeatsForMs);
  }

  /** Returns undefined for an object that does not exist. Throws RequestError. */
  send(wanted: ObjectRequest): Promise<ObjectResponse | undefined> {
    return this.#retryWindow.request(() => this.#attempt(wanted), wanted.repeatsForMs);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #attempt(wanted: ObjectRequest): Promise<AttemptResult<ObjectResponse | undefined>> {
    const first = await this.#sendOnce(wanted);
    const isRefused = 'failure' in first && first.failure.code === 'S3_CREDENTIALS';
    return isRefused && this.#keys.renew() ? this.#sendOnce(wanted) : first;
  }

  async #sendOnce(wanted: ObjectRequest): Promise<AttemptResult<ObjectResponse | undefined>> {
    const current = await this.#keys.current().catch((error: unknown) => {
      if (error instanceof KeysFailure) return error;
      throw error;
    });
    if (current instanceof KeysFailure) return current;
    const { type: _, ...keys } = current;
    const { method, key, body } = wanted;
    const own = { method, headers: { ...wanted.headers }, service: 's3', region: this.#location.region };
    const signer = new AwsV4Signer({ ...own, ...keys, url: objectUrl(this.#location, key).href });
    const { url, headers } = await signer.sign();
    try {
      const response = await request(url, {
        dispatcher: this.#agent,
        method,
        headers: Object.fromEntries(headers),
        headersTimeout: this.#answersWithinMs + (wanted.storesForMs ?? 0),
        ...(body === undefined ? {} : { body: body() }),
      });
      if (response.statusCode >= 200 && response.statusCode < 300) return { value: response };
      const failure = await failureIn(response);
      return failure === undefined ? { value: undefined } : { failure };
    } catch (error) {
      return { failure: failureOfError(error) };
    }
  }
}

/** Returns the failure of a response; undefined when the object is missing. */
async function failureIn({ statusCode: status, headers, body }: ObjectResponse): Promise<S3Failure | undefined> {
  const text = await readTextStart(body, maxErrorBytes);
  // The response to HEAD has no body, and so no code; a missing bucket shows at the next request of another kind.
  if (status === 404 && !text.includes('<Code>NoSuchBucket<')) return undefined;
  const header = (name: string) => [headers[name]].flat()[0];
  return failureOfResponse({ status, body: text, region: header('x-amz-bucket-region'), target: header('location') });
}

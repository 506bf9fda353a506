import type { Fetch, HttpResponse } from './fetch.ts';
import { createKnownAnswers } from './known-answers.ts';
import { onAbort } from './on-abort.ts';
import { ConnectionError, ForeignAnswerError, readProblem } from './problem.ts';
import { backoffMs, sleep } from './sleep.ts';

/** Address of the API, and options of requests to it. */
export interface HttpOptions {
  /** As in `https://millrace.example`; a path before `/v1` may follow. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Returns the CSRF token of a signed-in browser, whose cookie takes the place of a key. */
  readonly csrf?: (() => string | undefined) | undefined;
  /** Number of retries when the server does not answer, or says that it cannot now; default 4. */
  readonly retries?: number | undefined;
  /** Time until a response begins, in milliseconds; default 30 seconds. */
  readonly timeoutMs?: number | undefined;
  /** Called before it waits to send a request again, with why and for how long, in milliseconds. */
  readonly onWait?: ((wait: RetryWait) => void) | undefined;
  /** Default: the platform's own. */
  readonly fetch?: Fetch | undefined;
}

/** A request is to be sent again. */
export interface RetryWait {
  /** Status of the response; absent: the server did not answer. */
  readonly status?: number;
  readonly ms: number;
}

/** One request. */
export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, readonly string[] | string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /**
   * `once`: it may not be sent again. `freely`: it may, as it comes to the same. Otherwise what changes something carries
   * an idempotency key, so that it may.
   */
  readonly send?: 'once' | 'freely';
  /** A key of one's own, under which the request is carried out once, whoever sends it. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Time that the response may take beyond the usual, in milliseconds. */
  readonly extraTimeoutMs?: number;
}

/** Speaks to the API. */
export interface Http {
  /** The answer, which is not a problem. Throws ApiProblem and ConnectionError. */
  request(path: string, input?: HttpRequest): Promise<HttpResponse>;
  /** The same, read as JSON. */
  json<T>(path: string, input?: HttpRequest): Promise<T>;
}

/** Speaks to the API at a URL. Requests that may be sent again are, while the server is away or busy. */
export function createHttp(options: HttpOptions): Http {
  const { url, retries = 4, onWait } = options;
  assertApiKey(options.apiKey);
  const base = url.endsWith('/') ? url : `${url}/`;
  const known = createKnownAnswers();

  async function ask(path: string, input: HttpRequest = {}): Promise<HttpResponse> {
    const address = addressOf(base, path, input);
    const request = requestOf(options, input);
    const most = input.send === 'once' ? 0 : retries;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await fetchOnce(options, address, { request, asked: input });
      input.signal?.throwIfAborted();
      if (!isFailed(outcome) && outcome.status < 400) return outcome;
      if (attempt >= most || !isRetryable(outcome)) throw await errorOf(url, outcome);
      const ms = waitMsOf(outcome, attempt);
      onWait?.({ ms, ...(isFailed(outcome) ? {} : { status: outcome.status }) });
      await sleep(ms, input.signal);
    }
  }

  return {
    request: ask,
    // What the API answers has the shape of its contract, which T is derived from.
    async json<T>(path: string, input: HttpRequest = {}) {
      const address = addressOf(base, path, input);
      const tag = input.method === undefined || input.method === 'GET' ? known.tagOf(address) : undefined;
      const response = await ask(path, tag === undefined ? input : withHeader(input, 'if-none-match', tag));
      try {
        return JSON.parse(await textOf(response, address)) as T;
      } catch (cause) {
        input.signal?.throwIfAborted();
        throw cause instanceof SyntaxError
          ? new ForeignAnswerError(response, { cause })
          : new ConnectionError(url, cause);
      }
    },
  };

  async function textOf(response: HttpResponse, address: string): Promise<string> {
    if (response.status === 304) return known.textOf(address) ?? '';
    const text = await response.text();
    const tag = response.headers.get('etag');
    if (tag !== null) known.keep(address, { tag, text });
    return text;
  }
}

const withHeader = (input: HttpRequest, name: string, value: string): HttpRequest => ({
  ...input,
  headers: { ...input.headers, [name]: value },
});

/** A platform that refuses such a key as a header tells it in full. */
function assertApiKey(apiKey: string | undefined): void {
  if (apiKey === undefined || /^[\x21-\x7e]+$/.test(apiKey)) return;
  throw new TypeError('The API key has a character that no key has, such as a line break; it is not sent.');
}

function addressOf(base: string, path: string, { query = {} }: HttpRequest): string {
  const address = new URL(path, base);
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value ?? []].flat()) address.searchParams.append(name, String(one));
  }
  return address.href;
}

function requestOf({ apiKey, csrf }: HttpOptions, input: HttpRequest): RequestInit {
  const { method = 'GET', json, form, headers = {}, send, idempotencyKey } = input;
  const changes = method !== 'GET' && send === undefined;
  const given = {
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(method === 'GET' ? {} : { 'x-millrace-ui': csrf?.() }),
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(changes ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {}),
    ...headers,
  };
  const body = form ?? (json === undefined ? undefined : JSON.stringify(json));
  return { method, headers: omitUndefined(given), ...(body === undefined ? {} : { body }) };
}

const omitUndefined = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined));

interface Failed {
  readonly failed: unknown;
}

interface FetchAttempt {
  readonly request: RequestInit;
  readonly asked: HttpRequest;
}

async function fetchOnce(
  { fetch: fetched = fetch, timeoutMs = 30_000 }: HttpOptions,
  address: string,
  { request, asked: { signal, extraTimeoutMs: patience = 0 } }: FetchAttempt,
): Promise<HttpResponse | Failed> {
  const late = new AbortController();
  const after = timeoutMs + patience;
  const timer = setTimeout(() => late.abort(new Error(`nothing came for ${after} ms`)), after);
  const unlink = signal === undefined ? () => undefined : onAbort(signal, () => late.abort(signal.reason));
  try {
    const response = await fetched(address, { ...request, signal: late.signal });
    // The signal ends the body, too, as long as somebody can read it.
    unlinkers.register(response.body ?? response, unlink);
    return response;
  } catch (failed) {
    unlink();
    return { failed };
  } finally {
    clearTimeout(timer);
  }
}

/** Stops what listens to a caller's signal for a body that is gone. */
const unlinkers = new FinalizationRegistry<() => unknown>((unlink) => unlink());

/** Tells failures from responses, whose class need not be that of the platform. */
const isFailed = (outcome: HttpResponse | Failed): outcome is Failed => 'failed' in outcome;

const errorOf = async (url: string, outcome: HttpResponse | Failed): Promise<Error> =>
  isFailed(outcome) ? new ConnectionError(url, outcome.failed) : readProblem(outcome);

/** Returns whether a retry may succeed: the server or a proxy is not there, is busy, or is at this very request. */
function isRetryable(outcome: HttpResponse | Failed): boolean {
  if (isFailed(outcome)) return true;
  const { status, headers } = outcome;
  return [429, 502, 503, 504].includes(status) || (status === 409 && headers.has('retry-after'));
}

const maxRetryDelayMs = 30_000;

function waitMsOf(outcome: HttpResponse | Failed, attempt: number): number {
  const after = isFailed(outcome) ? Number.NaN : Number(outcome.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(after) ? Math.min(after * 1000, maxRetryDelayMs) : backoffMs(attempt, maxRetryDelayMs);
}

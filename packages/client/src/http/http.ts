import type { Fetch, HttpResponse } from './fetch.ts';
import type { ApiProblem } from './problem.ts';
import { ConnectionError, readProblem, UnexpectedResponseError } from './problem.ts';
import { backoffMs, sleep } from './sleep.ts';

/** Address of the API, and options of requests to it. */
export interface HttpOptions {
  /** URL of the server, such as `https://millrace.example`; it may have a path, which precedes `/v1`. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Returns the CSRF token of a signed-in browser, whose cookie takes the place of a key. */
  readonly csrf?: (() => string | undefined) | undefined;
  /** Number of retries after a request to which the server did not respond, or for which it was busy; default 4. */
  readonly retries?: number | undefined;
  /**
   * Time after which a response must be there, or have begun if it is a stream or a file, unless the server shows that it works,
   * in milliseconds; default 30 seconds.
   */
  readonly timeoutMs?: number | undefined;
  /** Called before the client waits for a retry, with the reason and the delay in milliseconds. */
  readonly onWait?: ((wait: RetryWait) => void) | undefined;
  /** Default: the one of the platform. */
  readonly fetch?: Fetch | undefined;
}

/** Reason and delay of a retry. */
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
  /** Sent unchanged. */
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /**
   * `once`: the request is not retried. `freely`: it is retried without a key. Absent: a request that changes something is
   * retried under an idempotency key.
   */
  readonly send?: 'once' | 'freely';
  /** Idempotency key of the caller; default: a random one. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Time that the response may take beyond the usual, in milliseconds. */
  readonly extraTimeoutMs?: number;
}

/** Requests to the API. */
export interface Http {
  /** Returns a successful response, whose body the caller reads. Throws ApiProblem and ConnectionError. */
  request(path: string, input?: HttpRequest): Promise<HttpResponse>;
  /** Returns the body of a successful response, parsed as JSON. A body that breaks off is asked for again. */
  json<T>(path: string, input?: HttpRequest): Promise<T>;
}

/** Creates a connection to the API at a URL. It retries requests while the server is unreachable or busy. */
export function createHttp(options: HttpOptions): Http {
  const { url, retries = 4, onWait } = options;
  assertApiKey(options.apiKey);
  const base = baseOf(url);
  const known = createResponseCache();

  async function ask<T>(address: string, input: HttpRequest, read: ReadResponse<T>): Promise<T> {
    const request = requestOf(options, input);
    const most = input.send === 'once' ? 0 : retries;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await fetchOnce(options, address, { request, asked: input, read });
      input.signal?.throwIfAborted();
      if (outcome.type === 'answered') return outcome.value;
      if (attempt >= most || !isRetryable(outcome)) throw errorOf(url, outcome);
      const ms = waitMsOf(outcome, attempt);
      onWait?.({ ms, ...(outcome.type === 'refused' ? { status: outcome.problem.status } : {}) });
      await sleep(ms, input.signal);
    }
  }

  return {
    request: (path, input = {}) => ask(addressOf(base, path, input), input, async (response) => response),
    // T is generated from the schema of this response.
    async json<T>(path: string, input: HttpRequest = {}) {
      const address = addressOf(base, path, input);
      const kept = input.method === undefined || input.method === 'GET' ? known.of(address) : undefined;
      const asked = kept === undefined ? input : withHeader(input, 'if-none-match', kept.tag);
      const { response, text } = await ask(address, asked, async (response) => ({
        response,
        // Other responses may have taken the place of this one meanwhile.
        text: response.status === 304 && kept !== undefined ? kept.text : await response.text(),
      }));
      const tag = response.headers.get('etag');
      if (response.status !== 304 && tag !== null) known.keep(address, { tag, text });
      try {
        return JSON.parse(text) as T;
      } catch (cause) {
        throw new UnexpectedResponseError(response, { cause });
      }
    },
  };
}

const baseOf = (url: string): string => (url.endsWith('/') ? url : `${url}/`);

const withHeader = (input: HttpRequest, name: string, value: string): HttpRequest => ({
  ...input,
  headers: { ...input.headers, [name]: value },
});

/** Throws before the platform does, whose error would contain the whole key. */
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

/** What one attempt at a request came to. */
type Outcome<T> = { readonly type: 'answered'; readonly value: T } | FailedAttempt;

type FailedAttempt =
  | { readonly type: 'refused'; readonly problem: ApiProblem; readonly retryAfter: string | null }
  /** The connection failed, or broke off in the middle of the response. */
  | { readonly type: 'broken'; readonly error: unknown };

/** Reads what a caller needs of a successful response. */
type ReadResponse<T> = (response: HttpResponse) => Promise<T>;

interface FetchAttempt<T> {
  readonly request: RequestInit;
  readonly asked: HttpRequest;
  readonly read: ReadResponse<T>;
}

async function fetchOnce<T>(
  options: HttpOptions,
  address: string,
  { request, asked: { signal, extraTimeoutMs: patience = 0 }, read }: FetchAttempt<T>,
): Promise<Outcome<T>> {
  const { fetch: fetched = fetch, timeoutMs = 30_000 } = options;
  const late = new AbortController();
  const after = timeoutMs + patience;
  const stopWatching = watchServer(options, after, () => late.abort(new Error(`nothing came for ${after} ms`)));
  const unlink = signal === undefined ? () => undefined : onAbort(signal, () => late.abort(signal.reason));
  try {
    const response = await fetched(address, { ...request, signal: late.signal });
    // The signal also ends the body while a caller can read it.
    unlinkers.register(response.body ?? response, unlink);
    if (response.status < 400) return { type: 'answered', value: await read(response) };
    return { type: 'refused', problem: await readProblem(response), retryAfter: response.headers.get('retry-after') };
  } catch (error) {
    unlink();
    return { type: 'broken', error };
  } finally {
    stopWatching();
  }
}

/** Number of times that a response is waited for again, because the server works. */
const mostExtensions = 20;

/**
 * Calls `giveUp` when a response has not begun for a time and the server does not answer another request either. A server
 * that answers still works on the response: to repeat the request would only add to its work. Returns a function that ends
 * the watch.
 */
function watchServer({ url, fetch: fetched = fetch }: HttpOptions, afterMs: number, giveUp: () => void): () => void {
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    for (let extensions = mostExtensions; ; extensions -= 1) {
      await sleep(afterMs, over.signal);
      if (extensions === 0 || !(await isServing(fetched, url, { withinMs: afterMs, signal: over.signal }))) break;
    }
    if (!over.signal.aborted) giveUp();
  };
  // It ends with the abortion of its sleep.
  watch().catch(() => undefined);
  return () => over.abort();
}

interface Probe {
  readonly withinMs: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** Tests if the server itself answers within a time: a proxy before one that is away may answer 200 to anything. */
async function isServing(fetched: Fetch, url: string, { withinMs, signal }: Probe): Promise<boolean> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), withinMs);
  const unlink = onAbort(signal, () => late.abort());
  try {
    const response = await fetched(addressOf(baseOf(url), 'healthz', {}), { signal: late.signal });
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null && 'status' in body && body.status === 'ok';
  } catch {
    return false;
  } finally {
    unlink();
    clearTimeout(timer);
  }
}

/** Removes the listeners on the signals of callers whose response bodies were garbage-collected. */
const unlinkers = new FinalizationRegistry<() => unknown>((unlink) => unlink());

const errorOf = (url: string, outcome: FailedAttempt): Error =>
  outcome.type === 'refused' ? outcome.problem : new ConnectionError(url, outcome.error);

/** Tests if a retry may succeed: the server or a proxy is unreachable or busy, or still executes this request. */
function isRetryable(outcome: FailedAttempt): boolean {
  if (outcome.type === 'broken') return true;
  const { status } = outcome.problem;
  return [429, 502, 503, 504].includes(status) || (status === 409 && outcome.retryAfter !== null);
}

const maxRetryDelayMs = 30_000;

function waitMsOf(outcome: FailedAttempt, attempt: number): number {
  const after = outcome.type === 'broken' ? Number.NaN : Number(outcome.retryAfter ?? Number.NaN);
  return Number.isFinite(after) ? Math.min(after * 1000, maxRetryDelayMs) : backoffMs(attempt, maxRetryDelayMs);
}

const actsOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` when the signal is aborted, or at once if it is, until the returned function is called. A signal gets one
 * listener for any number of acts: platforms warn of more. Use this in place of `AbortSignal.any`, which does not hold
 * its sources: on Node 20 a time limit is collected before it is over.
 */
function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  const acts = actsOf.get(signal) ?? listen(signal);
  acts.add(act);
  return () => void acts.delete(act);
}

function listen(signal: AbortSignal): Set<() => void> {
  const acts = new Set<() => void>();
  const listener = () => {
    for (const act of acts) act();
  };
  signal.addEventListener('abort', listener, { once: true });
  actsOf.set(signal, acts);
  return acts;
}

/*
 * Responses with an entity tag are cached. A further request contains the tag, and the server sends the response only if
 * it has changed.
 */

/** Maximum number of cached responses, and maximum length of one, in characters. */
const mostAnswers = 32;
const longestAnswer = 1_000_000;

interface KnownAnswer {
  readonly tag: string;
  /** JSON; each caller gets its own objects. */
  readonly text: string;
}

/** Cache of responses by URL. */
interface ResponseCache {
  /** Returns the cached response of a URL; undefined if there is none. */
  of(address: string): KnownAnswer | undefined;
  keep(address: string, answer: KnownAnswer): void;
}

/** Creates an empty cache. */
function createResponseCache(): ResponseCache {
  const answers = new Map<string, KnownAnswer>();
  return {
    of: (address) => answers.get(address),
    keep(address, answer) {
      answers.delete(address);
      if (answer.text.length > longestAnswer) return;
      answers.set(address, answer);
      for (const oldest of answers.keys()) {
        if (answers.size <= mostAnswers) return;
        answers.delete(oldest);
      }
    },
  };
}

import type { EventSourceMessage } from 'eventsource-parser';
import { createParser } from 'eventsource-parser';
import type { CallOptions, Client, StreamEvent } from '../client.ts';
import { routes } from '../generated/routes.ts';
import type { NamedFile, TenantEvent } from '../generated/schemas.ts';
import type { Http, HttpOptions, HttpRequest } from './http.ts';
import { createHttp } from './http.ts';
import { ConnectionError, UnexpectedResponseError } from './problem.ts';
import { sleep } from './sleep.ts';

/** Time in which a slow connection transfers the largest file, in milliseconds. */
const uploadTimeoutMs = 10 * 60_000;

/** Calls operations over HTTP. */
export function createHttpClient(options: HttpOptions): Client {
  const http = createHttp(options);
  const json = { accept: 'application/json' };
  return {
    call: (name, input, call) => http.json(...requestOf(routes[name], { input, call, headers: json })),
    async content(name, input, call) {
      const response = await http.request(...requestOf(routes[name], { input, call }));
      return response.blob().catch((cause: unknown) => {
        call?.signal?.throwIfAborted();
        throw new ConnectionError(options.url, cause);
      });
    },
    async events(name, input, call) {
      const headers = { accept: 'text/event-stream' };
      const body = await streamOf(http, ...requestOf(routes[name], { input, call, headers }));
      return body && readStream(body, parseStreamEvent);
    },
    async live(name, input, call) {
      const headers = { accept: 'text/event-stream' };
      const body = await streamOf(http, ...requestOf(routes[name], { input, call, headers }));
      return body === undefined ? none() : readStream(body, parseTenantEvent);
    },
    readiness: (options) => http.json('readyz', { ...options, headers: json }),
  };
}

interface RequestInput {
  readonly input: object;
  readonly call: CallOptions | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

function requestOf(route: Route, { input, call = {}, headers: own = {} }: RequestInput): [path: string, HttpRequest] {
  const { file, ...fields } = input as { readonly file?: NamedFile | string };
  const { path, query, headers, body } = partsOf(route, route.upload === undefined ? input : fields);
  const { repeatable, range, ...options } = call;
  const content =
    typeof file === 'object'
      ? { form: formOf(body ?? {}, file), extraTimeoutMs: uploadTimeoutMs }
      : body === undefined
        ? {}
        : { json: body };
  return [
    path.slice(1),
    {
      method: route.method,
      query,
      headers: { ...own, ...headers, ...(range === undefined ? {} : { range: `bytes=${range.from}-${range.to}` }) },
      ...sendingOf(route, repeatable),
      ...content,
      ...definedIn(options),
    },
  ];
}

/** Returns the permitted repetitions of a request: none, any, or any under an idempotency key. */
function sendingOf({ idempotency }: Route, repeatable: true | undefined): Pick<HttpRequest, 'send'> {
  if (idempotency === 'never') return { send: 'once' };
  return idempotency === 'needless' || repeatable ? { send: 'freely' } : {};
}

/** Returns the form of an upload: texts are fields, and all other values are fields in JSON. */
function formOf(fields: Readonly<Record<string, unknown>>, { name, content }: NamedFile): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) {
    if (value !== undefined) form.set(field, typeof value === 'string' ? value : JSON.stringify(value));
  }
  form.set('file', content, name);
  return form;
}

const definedIn = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  // The fields of T that have a value.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof definedIn<T>
  >;

async function* none(): AsyncGenerator<never> {}

/** Opens one connection; undefined if no event follows. */
async function streamOf(http: Http, path: string, request: HttpRequest) {
  const response = await http.request(path, request);
  if (response.status === 204 || response.body === null) return undefined;
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) return response.body;
  // The connection may have broken already.
  await response.body.cancel().catch(() => undefined);
  throw new UnexpectedResponseError(response);
}

/** Time without data after which a connection counts as broken, in milliseconds; the server sends a heartbeat every 15 seconds. */
const idleTimeoutMs = 45_000;

/** Yields the messages of one connection until it ends or breaks; the next connection shows if more follow. */
async function* readStream<T>(
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

/** Returns the next bytes; undefined if the connection has ended, has broken or is silent for too long. */
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

/** Parses an event of a run, whose schema the server guarantees. */
const parseStreamEvent = ({ event, data }: EventSourceMessage): StreamEvent =>
  event === 'live' ? { type: 'live', event: JSON.parse(data) } : { type: 'event', event: JSON.parse(data) };

/** Parses a live event. */
const parseTenantEvent = ({ data }: EventSourceMessage): TenantEvent => JSON.parse(data);

/** Route of an operation in the generated table. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  readonly body?: true;
  readonly kind?: 'content' | 'events' | 'live';
  readonly upload?: 'required' | 'optional';
  readonly idempotency?: 'never' | 'needless';
}

/** Parts of a request, made from the fields of an input. */
export interface RequestParts {
  /** Path with its parameters filled in, as in `/v1/runs/run_1/cancel`. */
  readonly path: string;
  /** A field with several values is repeated. */
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent if the operation has no body. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Splits the input of an operation into the parts of its request. Fields of no other part belong to the body. */
export function partsOf({ path, query = [], headers = [], body }: Route, input: object): RequestParts {
  const fields = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const takeAll = (name: string): readonly string[] => {
    const value = fields.get(name);
    fields.delete(name);
    return value === undefined ? [] : [value].flat().map(String);
  };
  const take = (name: string): string | undefined => takeAll(name)[0];
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(take(name) ?? ''));
  const given = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = take(name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const asked = Object.fromEntries(query.map((name) => [name, takeAll(name)]));
  const parts = { path: filled, query: asked, headers: given(headers) };
  return body === undefined && fields.size === 0 ? parts : { ...parts, body: Object.fromEntries(fields) };
}

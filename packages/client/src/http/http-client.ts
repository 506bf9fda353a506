import type { CallOptions, Client } from '../client.ts';
import { routes } from '../generated/routes.ts';
import type { NamedFile } from '../generated/schemas.ts';
import type { Http, HttpOptions, HttpRequest } from './http.ts';
import { createHttp } from './http.ts';
import { UnexpectedResponseError } from './problem.ts';
import { parseStreamEvent, parseTenantEvent, readStream } from './read-stream.ts';
import type { Route } from './request-parts.ts';
import { partsOf } from './request-parts.ts';

/** Time in which a slow connection transfers the largest file, in milliseconds. */
const uploadTimeoutMs = 10 * 60_000;

/** Calls operations over HTTP. */
export function createHttpClient(options: HttpOptions): Client {
  const http = createHttp(options);
  const json = { accept: 'application/json' };
  return {
    call: (name, input, call) => http.json(...requestOf(routes[name], { input, call, headers: json })),
    content: async (name, input, call) => (await http.request(...requestOf(routes[name], { input, call }))).blob(),
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

interface Asked {
  readonly input: object;
  readonly call: CallOptions | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

function requestOf(route: Route, { input, call = {}, headers: own = {} }: Asked): [path: string, HttpRequest] {
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

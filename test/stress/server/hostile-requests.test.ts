import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import type { ServedApi } from '../../support/http/api.ts';
import { serveApi } from '../../support/http/api.ts';
import { ask } from '../../support/http/http.ts';
import type { RawAnswer, RawRequest } from '../../support/http/raw-request.ts';
import { sendRaw } from '../../support/http/raw-request.ts';

type Route = ServedApi['orchestrator']['routes'][number];

const open = openBeforeAll(serveApi);
const locked = openBeforeAll(() => serveApi({ httpLimits: { requestsPerMinute: 1_000_000 } }));
const operator = openBeforeAll(() => locked.tenant('default', 'admin'));

/** All routes of a server, read from the server so that none is forgotten, except the public ones. */
const routesOf = (api: ServedApi): readonly Route[] =>
  api.orchestrator.routes.filter(({ requiredScope }) => requiredScope !== 'nobody');

const isPage = ({ url }: Pick<Route, 'url'>): boolean => url.startsWith('/admin/queues');
const withIds = (url: string, id: string): string => url.replace(/:\w+|\*/g, id);

interface Case {
  readonly name: string;
  readonly request: RawRequest;
  readonly route: Route;
}

/** Sends everything, some at a time, and returns what is to be complained of. */
async function complaints(
  url: string,
  cases: readonly Case[],
  complain: (answer: RawAnswer, one: Case) => string | undefined,
): Promise<readonly string[]> {
  const rest = [...cases];
  const found: string[] = [];
  const work = async () => {
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) {
      const before = performance.now();
      const answer = await sendRaw(url, one.request);
      const took = performance.now() - before;
      const wrong = took > 5000 ? `took ${took} ms` : complain(answer, one);
      if (wrong !== undefined)
        found.push(`${one.request.method} ${one.request.path.slice(0, 80)} (${one.name}): ${wrong}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return found;
}

/** Says what is wrong with an answer that should be a problem with a code, and not of our making. */
function notRefused({ status, type, text }: RawAnswer, { request: { method } }: Case): string | undefined {
  if (status < 400 || status >= 500) return `${status} ${text.slice(0, 200)}`;
  if (method === 'HEAD') return undefined;
  const isProblem = type.startsWith('application/problem+json') && /"code":"[A-Z_]+"/.test(text);
  return isProblem ? undefined : `${status} ${type} ${text.slice(0, 200)}`;
}

/** As {@link notRefused}; the answer must not grow with the request, either. */
const notBrieflyRefused = (answer: RawAnswer, one: Case): string | undefined =>
  answer.text.length > 12_000 ? `an answer of ${answer.text.length} characters` : notRefused(answer, one);

describe('every route with authentication', () => {
  const sources: Readonly<Record<string, Record<string, string>>> = {
    'a page of another port': { origin: 'http://127.0.0.1:1' },
    'a page without an origin': { origin: 'null' },
    'a page of another site': { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' },
    'a form of another site': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    'a frame of another site': {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'iframe',
    },
    'a page of a sibling': { 'sec-fetch-site': 'same-site' },
    'a rebound name': { host: 'rebound.example' },
    'a rebound name with its own origin': { host: 'rebound.example', origin: 'http://rebound.example' },
    'a proxy': { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'localhost' },
    'another proxy': { forwarded: 'for=127.0.0.1;host=localhost' },
  };

  it('refuses cross-site requests of browsers while there are no keys', async () => {
    const routes = routesOf(open);
    expect(routes.length).toBeGreaterThan(80);
    const cases = routes.flatMap((route) =>
      Object.entries(sources).map(([name, headers]): Case => {
        const isForm = route.method === 'POST' || route.method === 'PUT';
        const body = isForm ? { body: 'x', type: { 'content-type': 'text/plain' } } : {};
        const request = { method: route.method, path: withIds(route.url, 'x'), headers: { ...headers, ...body.type } };
        return { name, route, request: isForm ? { ...request, body: 'x' } : request };
      }),
    );

    expect(
      await complaints(open.orchestrator.url, cases, (answer, one) =>
        answer.status === 403 || answer.status === 401 ? notRefused(answer, one) : `${answer.status} ${answer.text}`,
      ),
    ).toEqual([]);
    for (const list of ['runs', 'batches', 'schedules', 'webhooks', 'workflows']) {
      expect((await ask(`${open.orchestrator.url}/v1/${list}`)).body['data']).toEqual([]);
    }
  });

  it('requires a key once there are keys', async () => {
    const cases = routesOf(locked).flatMap((route) =>
      [{}, { authorization: 'Bearer mk_x' }, { authorization: 'Basic Og==' }, { authorization: 'x'.repeat(4000) }].map(
        (headers): Case => ({
          name: JSON.stringify(headers).slice(0, 40),
          route,
          request: { method: route.method, path: withIds(route.url, 'x'), headers },
        }),
      ),
    );

    expect(
      await complaints(locked.orchestrator.url, cases, (answer, one) =>
        answer.status === 401 ? notRefused(answer, one) : `${answer.status} ${answer.text}`,
      ),
    ).toEqual([]);
  });
});

it('refuses malformed ids', { timeout: 120_000 }, async () => {
  const ids = [
    '%00',
    '%0a',
    '%2e%2e',
    '..%2f..%2fetc%2fpasswd',
    '%ff%fe',
    '%F0%9F%92%A9',
    '__proto__',
    'constructor',
    'x'.repeat(200),
    'x'.repeat(3000),
    "'%22%3Cscript%3E",
    '%1b%5d0;x%07',
  ];
  const cases = routesOf(locked)
    .filter((route) => /:/.test(route.url) && !isPage(route))
    .flatMap((route) =>
      ids.map((id): Case => {
        const headers = { authorization: `Bearer ${operator.key}`, 'content-type': 'application/json' };
        const hasBody = route.method === 'PUT' || route.method === 'PATCH';
        const request = { method: route.method, path: withIds(route.url, id), headers };
        return {
          name: id.slice(0, 20),
          route,
          request: hasBody ? { ...request, body: '{"x":1}' } : withoutType(request),
        };
      }),
    );

  expect(
    await complaints(locked.orchestrator.url, cases, (answer, one) =>
      // A limit that is not there may be lifted, and some of these names are names of tenants.
      answer.text === '{"lifted":false}' ? undefined : notRefused(answer, one),
    ),
  ).toEqual([]);
});

const withoutType = ({
  headers: { authorization },
  ...request
}: RawRequest & { headers: { authorization: string } }) => ({
  ...request,
  headers: { authorization },
});

it('responds to malformed paths of the board without an internal error', async () => {
  const cases = routesOf(locked)
    .filter(isPage)
    .flatMap((route) =>
      ['%00', '%2e%2e%2f', 'constructor', 'x'.repeat(3000), '__proto__'].map((id): Case => {
        const headers = { authorization: `Bearer ${operator.key}` };
        return {
          name: id.slice(0, 20),
          route,
          request: { method: route.method, path: withIds(route.url, id), headers },
        };
      }),
    );
  const broken = ({ status, text }: RawAnswer) => (status < 500 ? undefined : `${status} ${text}`);

  expect(await complaints(locked.orchestrator.url, cases, broken)).toEqual([]);
});

describe('every route with a body', () => {
  const json = 'application/json';
  const bodies: Readonly<
    Record<string, Pick<RawRequest, 'body'> & { readonly type?: string; readonly size?: number }>
  > = {
    'JSON that ends too soon': { type: json, body: '{"yaml":' },
    'nothing where JSON is said': { type: json, body: '' },
    'a list': { type: json, body: '[]' },
    'a number': { type: json, body: '1e999' },
    'wrong fields': { type: json, body: '{"yaml":1,"workflow":[],"id":{},"rows":7,"url":null}' },
    __proto__: { type: json, body: '{"__proto__":{"admin":true}}' },
    'constructor.prototype': { type: json, body: '{"constructor":{"prototype":{"admin":true}}}' },
    'objects 100,000 deep': { type: json, body: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` },
    'lists 100,000 deep': { type: json, body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` },
    'bytes that are no text': { type: json, body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) },
    'another media type': { type: 'text/plain', body: 'x' },
    'a media type that is none': { type: 'application', body: 'x' },
    XML: { type: 'application/xml', body: '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>' },
    'a form without its boundary': { type: 'multipart/form-data', body: 'x' },
    'a form that breaks off': {
      type: 'multipart/form-data; boundary=b',
      body: '--b\r\nContent-Disposition: form-data',
    },
    'five megabytes': { type: json, size: 5_000_000 },
    'ten thousand unknown keys': {
      type: json,
      body: JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`unknown key ${at}`, at]))),
    },
    'an unknown key of 100,000 characters': { type: json, body: JSON.stringify({ ['k'.repeat(100_000)]: 1 }) },
    'lists of wrong values': {
      type: json,
      body: JSON.stringify(
        Object.fromEntries(
          ['tags', 'attachments', 'rows', 'events', 'scopes'].map((name) => [name, Array(5000).fill({})]),
        ),
      ),
    },
  };

  it('refuses hostile bodies with an answer of a few kilobytes', { timeout: 120_000 }, async () => {
    const cases = routesOf(locked)
      .filter((route) => ['POST', 'PUT', 'PATCH'].includes(route.method) && !isPage(route))
      .flatMap((route) =>
        Object.entries(bodies).map(([name, { type, size, body }]): Case => {
          const headers = {
            authorization: `Bearer ${operator.key}`,
            ...(type === undefined ? {} : { 'content-type': type }),
            ...(size === undefined ? {} : { 'content-length': size }),
          };
          const request = { method: route.method, path: withIds(route.url, 'unknown'), headers };
          return { name, route, request: body === undefined ? request : { ...request, body } };
        }),
      );
    expect(cases.length).toBeGreaterThan(400);

    expect(
      await complaints(locked.orchestrator.url, cases, (answer, one) =>
        // The protocol has problems of its own.
        one.route.url === '/mcp' ? (answer.status < 500 ? undefined : answer.text) : notBrieflyRefused(answer, one),
      ),
    ).toEqual([]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});

it('reads no body that comes without a key', async () => {
  const { url } = locked.orchestrator;
  const json = { 'content-type': 'application/json' };
  // Announced and not sent: whoever waits for it never answers.
  const announced = { ...json, 'content-length': 4_000_000 };

  const unknown = await sendRaw(url, { method: 'POST', path: '/v1/nothing', headers: announced });
  const keyless = await sendRaw(url, { method: 'POST', path: '/v1/runs', headers: announced });
  const signIn = await sendRaw(url, { method: 'POST', path: '/v1/sign-in', headers: announced });
  const body = JSON.stringify({ key: 'x'.repeat(5000) });
  const long = await sendRaw(url, { method: 'POST', path: '/v1/sign-in', headers: json, body });

  expect([unknown, keyless, signIn, long].map(({ status }) => status)).toEqual([404, 401, 413, 413]);
});

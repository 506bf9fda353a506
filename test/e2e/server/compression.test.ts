import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

/** A workflow of many nodes. */
function says(count: number): string {
  const ids = Array.from({ length: count }, (_, at) => `Say${at}`);
  const nodes = ids.map((id) => `    - { id: ${id}, type: literal, config: { content: Words of ${id}. } }\n`);
  return `graph:\n  id: long\n  start: [${ids}]\n  end: [${ids}]\n  nodes:\n${nodes.join('')}`;
}

const api = openBeforeAll(() => serveApi({ httpLimits: { corsOrigins: ['https://app.example.com'] } }));
const acme = openBeforeAll(() => api.tenant('acme', 'admin'));
let journal: string;
beforeAll(async () => {
  journal = `/v1/runs/${await acme.start(says(30), { input: 'Rain.' })}/events`;
});

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it came over the wire. */
  readonly bytes: Buffer;
}

interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends a request with a key, and decodes nothing, as `fetch` would. */
const receive = (path: string, { method = 'GET', headers = {}, body }: RawRequest = {}) =>
  new Promise<RawResponse>((resolve, reject) => {
    const own = { authorization: `Bearer ${acme.key}`, accept: 'application/json', ...headers };
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(`${api.orchestrator.url}${path}`, { method, headers: { ...own, ...json } }, (response) => {
      const { statusCode: status = 0, headers: received } = response;
      buffer(response).then((bytes) => resolve({ status, headers: received, bytes }), reject);
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

const accepting = (encoding: string, headers: Readonly<Record<string, string>> = {}) => ({
  headers: { 'accept-encoding': encoding, ...headers },
});

describe('a long response', () => {
  it.each([
    ['gzip', 'gzip, deflate', gunzipSync],
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
  ] as const)(
    'takes a fifth of its size or less in %s, and is equal when it is decoded',
    async (name, accepted, decode) => {
      const plain = await receive(journal);
      const compressed = await receive(journal, accepting(accepted));

      expect(compressed.headers).toMatchObject({
        'content-encoding': name,
        'content-type': plain.headers['content-type'],
        'content-length': String(compressed.bytes.length),
        vary: 'Origin, accept-encoding',
      });
      expect(compressed.bytes.length * 5).toBeLessThan(plain.bytes.length);
      expect(decode(compressed.bytes).toString()).toBe(plain.bytes.toString());
    },
  );

  it.each(['identity', 'gzip;q=0', '*;q=0', 'zstd', ''])('is plain for callers that accept "%s"', async (accepted) => {
    const { headers, bytes } = await receive(journal, accepting(accepted));

    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).toMatchObject({ vary: 'Origin, accept-encoding' });
    expect(JSON.parse(bytes.toString()).data.length).toBeGreaterThan(30);
  });

  it('has the same headers for HEAD, without a body', async () => {
    const path = journal.replace('/events', '/graph');
    const [got, head] = [
      await receive(path, accepting('gzip')),
      await receive(path, { ...accepting('gzip'), method: 'HEAD' }),
    ];

    expect(head.bytes).toHaveLength(0);
    for (const name of ['content-encoding', 'content-type', 'etag', 'vary']) {
      expect(head.headers[name], name).toBe(got.headers[name]);
    }
  });

  it('has a weak ETag, with which a caller gets the status 304', async () => {
    const path = journal.replace('/events', '/graph');
    const plain = await receive(path);
    const { headers } = await receive(path, accepting('gzip'));
    const tag = headers.etag ?? '';
    const again = await receive(path, accepting('gzip', { 'if-none-match': tag }));

    expect(tag).toBe(`W/${plain.headers.etag}`);
    expect(again).toMatchObject({ status: 304, bytes: Buffer.alloc(0) });
    expect(again.headers).toMatchObject({ vary: 'Origin, accept-encoding' });
    expect(again.headers).not.toHaveProperty('content-encoding');
  });

  it('is stored under an idempotency key in a form that every caller can read', async () => {
    const sent = { method: 'POST', body: { yaml: says(20).replaceAll('type: literal', 'type: literary') } };
    const keyed = (encoding: string) => accepting(encoding, { 'idempotency-key': 'once' });
    const first = await receive('/v1/workflows/validate', { ...sent, ...keyed('gzip') });
    const replayed = await receive('/v1/workflows/validate', { ...sent, ...keyed('identity') });

    expect(first.headers['content-encoding']).toBe('gzip');
    expect(replayed.headers['idempotent-replayed']).toBe('true');
    expect(replayed.bytes.toString()).toBe(gunzipSync(first.bytes).toString());
  });

  it('can be the OpenAPI document', async () => {
    const { headers, bytes } = await receive('/openapi.json', accepting('gzip'));

    expect(headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({ openapi: '3.1.0' });
  });
});

it('accepts the weak ETag of a workflow for a change of this version', async () => {
  const put = (count: number, headers = {}) =>
    receive('/v1/workflows/long', { method: 'PUT', body: { yaml: says(count) }, headers });
  await put(30);
  const { etag = '' } = (await receive('/v1/workflows/long', accepting('gzip'))).headers;

  expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/);
  expect((await put(31, { 'if-match': etag })).status).toBe(201);
  expect((await put(32, { 'if-match': etag })).status).toBe(412);
});

describe('without compression', () => {
  it('are short responses', async () => {
    const { headers } = await receive('/v1/runs/counts', accepting('gzip'));

    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('are streams of events', async () => {
    const { headers, bytes } = await receive(journal, accepting('gzip', { accept: 'text/event-stream' }));

    expect(headers['content-type']).toBe('text/event-stream');
    expect(headers).not.toHaveProperty('content-encoding');
    expect(bytes.toString()).toContain('run.finished');
  });

  it('are files, even those of JSON', async () => {
    const form = new FormData();
    form.set('file', new Blob([JSON.stringify({ text: 'a'.repeat(5000) })]), 'data.json');
    const authorization = `Bearer ${acme.key}`;
    const url = `${api.orchestrator.url}/v1/files`;
    const stored: { id: string } = JSON.parse(
      await (await fetch(url, { method: 'POST', body: form, headers: { authorization } })).text(),
    );
    const { headers, bytes } = await receive(`/v1/files/${stored.id}`, accepting('gzip'));

    expect(headers).toMatchObject({ 'content-type': 'application/json', 'content-length': String(bytes.length) });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('are responses with a secret beside text of a caller', async () => {
    const name = 'n'.repeat(2000);
    const long = (await api.keys.create({ tenant: 'acme', scopes: ['admin'], name })).secret;
    const gzip = accepting('gzip');
    const page = { 'sec-fetch-site': 'same-origin', origin: api.orchestrator.url };
    const url = `https://example.com/${'n'.repeat(1500)}`;
    const answers = {
      me: await receive('/v1/me', accepting('gzip', { authorization: `Bearer ${long}` })),
      webhook: await receive('/v1/webhooks', { method: 'POST', ...gzip, body: { url } }),
      secret: await receive('/v1/webhooks/runs/secret', gzip),
      key: await receive('/v1/keys', { method: 'POST', ...gzip, body: { scopes: ['read'], name: 'n' } }),
      signIn: await receive('/v1/sign-in', { method: 'POST', ...accepting('gzip', page), body: { key: acme.key } }),
    };

    for (const [which, { status, headers }] of Object.entries(answers)) {
      expect([200, 201], which).toContain(status);
      expect(headers, which).not.toHaveProperty('content-encoding');
      // By this header the server knows them, however long they become.
      expect(headers['cache-control'], which).toBe('no-store');
    }
    expect(answers.me.bytes.length).toBeGreaterThan(2000);
    expect(answers.webhook.bytes.length).toBeGreaterThan(1500);
  });
});

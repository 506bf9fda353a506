import { Millrace, signIn, signOut } from '@millrace/client';
import { connect } from '@millrace/runtime';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PageHeaders, SignedInBrowser } from '../../support/browser/page-requests.ts';
import { sendFromPage, signInFromPage } from '../../support/browser/page-requests.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import type { ServedApi } from '../../support/http/api.ts';
import { serveApi } from '../../support/http/api.ts';
import type { ApiResponse } from '../../support/http/http.ts';
import { contentsOf } from '../../support/redis/redis-contents.ts';

const question =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';

const api = openBeforeAll(() => serveApi({ httpLimits: { trustProxy: ['127.0.0.1'] } }));
const open = openBeforeAll(serveApi);
const acme = openBeforeAll(() => api.tenant('acme', 'admin'));

const send = (path: string, request: Parameters<typeof sendFromPage>[2] & { readonly of?: ServedApi } = {}) =>
  sendFromPage(request.of ?? api, path, request);

const signedIn = (withKey = acme.key, headers: PageHeaders = {}) => signInFromPage(api, withKey, headers);

const me = ({ cookie }: SignedInBrowser, headers: PageHeaders = {}) =>
  send('/v1/me', { headers: { cookie, ...headers } });

/** Starts a run as the page of a signed-in browser does. */
const start = ({ cookie, csrf }: SignedInBrowser, headers: PageHeaders = {}) =>
  send('/v1/runs', {
    method: 'POST',
    body: { workflow: { yaml: question }, input: 'A fence.' },
    headers: { cookie, 'x-millrace-ui': csrf, ...headers },
  });

const refusal = ({ status, body }: ApiResponse) => [status, body['code']];

describe('signing in', () => {
  it('exchanges a key for a cookie that no script reads and no other site sends', async () => {
    const browser = await signedIn();

    expect(browser.setCookie).toMatch(/^millrace=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/);
    expect((await me(browser)).body).toMatchObject({
      tenant: 'acme',
      scopes: ['admin'],
      open: false,
      csrf: browser.csrf,
    });
    expect((await start(browser)).status).toBe(201);
  });

  it('binds the cookie to the host over HTTPS', async () => {
    const https = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'millrace.test',
      'x-forwarded-for': '203.0.113.9',
    };
    const page = { ...https, origin: 'https://millrace.test' };
    const browser = await signedIn(acme.key, page);

    expect(browser.setCookie).toMatch(
      /^__Host-millrace=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect((await start(browser, page)).status).toBe(201);
  });

  it.each([
    ['a host other than loopback', { 'x-forwarded-host': 'millrace.test', 'x-forwarded-for': '203.0.113.9' }],
    ['a proxy that tells little', { 'x-real-ip': '203.0.113.9' }],
  ])('is refused over plain HTTP through %s, with the cure', async (_, headers) => {
    const host = headers['x-forwarded-host' as never] ?? new URL(api.orchestrator.url).host;
    const answer = await send('/v1/sign-in', {
      method: 'POST',
      body: { key: acme.key },
      headers: { ...headers, origin: `http://${host}` },
    });

    expect(refusal(answer)).toEqual([403, 'SIGN_IN_INSECURE']);
    expect(answer.body['detail']).toMatch(/HTTPS.*MILLRACE_TRUST_PROXY.*ssh -L/s);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it.each([
    { origin: 'https://example.com' },
    { origin: 'https://example.com', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: '', 'sec-fetch-site': '' },
    { origin: 'null' },
  ])('is refused to a page of another origin: %j', async (headers) => {
    const answer = await send('/v1/sign-in', { method: 'POST', body: { key: acme.key }, headers });

    expect(refusal(answer)).toEqual([403, 'ORIGIN_REFUSED']);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('creates a new token for every browser, and ends the session of the cookie that it sent', async () => {
    const planted = `millrace=${'A'.repeat(43)}`;
    const fixed = await signedIn(acme.key, { cookie: planted });
    expect(fixed.cookie).not.toBe(planted);
    expect(refusal(await send('/v1/me', { headers: { cookie: planted } }))).toEqual([401, 'SESSION_ENDED']);

    const again = await signedIn(acme.key, { cookie: fixed.cookie });

    expect(again.cookie).not.toBe(fixed.cookie);
    expect(refusal(await me(fixed))).toEqual([401, 'SESSION_ENDED']);
    expect((await me(again)).status).toBe(200);
  });

  it('stores neither the token nor the key', async () => {
    const { cookie, csrf } = await signedIn();

    const connection = connect(api.redis.url, 'test');
    const stored = await contentsOf(connection);
    connection.disconnect();

    expect(stored).toContain('held:session/');
    for (const secret of [cookie.split('=')[1] ?? '', csrf, acme.key]) expect(stored).not.toContain(secret);
  });

  it('counts wrong keys and wrong cookies like other requests without a valid key', async () => {
    const strict = await serveApi({ httpLimits: { requestsPerMinute: 3 } });
    try {
      await strict.keyOf('acme', 'read');
      const wrong = (): Promise<ApiResponse> =>
        send('/v1/sign-in', { method: 'POST', body: { key: 'mk_nonsense' }, of: strict });
      const statuses = [await wrong(), await wrong(), await wrong(), await wrong()].map(({ status }) => status);

      expect(statuses).toEqual([401, 401, 401, 429]);
      const cookie = { cookie: `millrace=${'A'.repeat(43)}` };
      expect((await send('/v1/me', { headers: cookie, of: strict })).status).toBe(429);
      expect((await send('/v1/sign-in', { method: 'DELETE', headers: cookie, of: strict })).status).toBe(429);
    } finally {
      await strict.close();
    }
  });
});

it('signs in however often pages and lists were asked for without a key from the same address', async () => {
  const strict = await serveApi({ httpLimits: { requestsPerMinute: 3 } });
  try {
    const key = await strict.keyOf('acme', 'read');
    const statusOf = async (path: string) => (await send(path, { of: strict })).status;
    for (const path of ['/openapi.json', '/v1/runs']) {
      const statuses = [await statusOf(path), await statusOf(path), await statusOf(path), await statusOf(path)];
      expect(statuses.at(-1), path).toBe(429);
    }

    expect((await send('/v1/sign-in', { method: 'POST', body: { key }, of: strict })).status).toBe(200);
  } finally {
    await strict.close();
  }
});

describe('a client in a signed-in browser', () => {
  it('signs in, changes something, and signs out', async () => {
    const { url } = api.orchestrator;
    let cookie = '';
    const browser: typeof fetch = async (input, init) => {
      const headers = { ...(init?.headers as PageHeaders), 'sec-fetch-site': 'same-origin', origin: url, cookie };
      const response = await fetch(input, { ...init, headers });
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return response;
    };
    const session = await signIn({ url, fetch: browser }, acme.key);
    const options = { url, fetch: browser, csrf: () => session.csrf };
    const millrace = new Millrace(options);

    expect(await millrace.me()).toMatchObject({ csrf: session.csrf, expiresAt: expect.any(Number) });
    const run = await millrace.runs.start({ yaml: question });
    await run.cancel();
    const copied = cookie;
    await signOut(options);

    cookie = copied;
    await expect(millrace.me()).rejects.toMatchObject({ code: 'SESSION_ENDED' });
  });
});

describe('the cookie of a signed-in browser', () => {
  let browser: SignedInBrowser;
  beforeAll(async () => {
    browser = await signedIn();
  });

  it.each([{ 'x-millrace-ui': '' }, { 'x-millrace-ui': 'x' }, { 'x-millrace-ui': 'A'.repeat(43) }])(
    'changes nothing without the CSRF token: %j',
    async (headers) => {
      expect(refusal(await start(browser, headers))).toEqual([403, 'CSRF_REFUSED']);
    },
  );

  it('changes nothing with the CSRF token of another session of the same key', async () => {
    const other = await signedIn();

    expect(refusal(await start(browser, { 'x-millrace-ui': other.csrf }))).toEqual([403, 'CSRF_REFUSED']);
  });

  it.each([
    { origin: 'https://example.com' },
    { origin: 'http://localhost:1' },
    { origin: 'https://example.com', 'sec-fetch-site': '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: '', 'sec-fetch-site': 'cross-site' },
    { origin: '', 'sec-fetch-site': '' },
  ])('is ignored in a request of another origin, with or without a CSRF token: %j', async (headers) => {
    expect(refusal(await start(browser, headers))).toEqual([403, 'ORIGIN_REFUSED']);
    expect(refusal(await me(browser, { ...headers, 'sec-fetch-site': headers['sec-fetch-site'] ?? '' }))).toEqual([
      403,
      'ORIGIN_REFUSED',
    ]);
  });

  it('is ignored when a person opens an address', async () => {
    expect(refusal(await me(browser, { 'sec-fetch-site': 'none' }))).toEqual([401, 'KEY_MISSING']);
  });

  it('is ignored beside the header Authorization', async () => {
    const reader = await api.keyOf('other', 'read');

    expect(refusal(await me(browser, { authorization: 'Bearer mk_nonsense' }))).toEqual([401, 'KEY_INVALID']);
    expect((await me(browser, { authorization: `Bearer ${reader}` })).body).toMatchObject({ tenant: 'other' });
    const both = { cookie: browser.cookie, 'x-millrace-ui': browser.csrf, authorization: `Bearer ${reader}` };
    expect(refusal(await send('/v1/sign-in', { method: 'DELETE', headers: both }))).toEqual([400, 'REQUEST_INVALID']);
    expect((await me(browser)).status).toBe(200);
  });

  it('is ignored over plain HTTP at another host', async () => {
    const away = { 'x-forwarded-host': 'millrace.test', 'x-forwarded-for': '203.0.113.9' };

    expect(refusal(await me(browser, away))).toEqual([401, 'KEY_MISSING']);
  });

  it('has the scopes of its key', async () => {
    const reader = await signedIn(await api.keyOf('acme', 'read'));

    expect((await send('/v1/runs', { headers: { cookie: reader.cookie } })).status).toBe(200);
    expect(refusal(await start(reader))).toEqual([403, 'SCOPE_MISSING']);
  });

  it('is not required where the server requires no key, even if an old one is sent', async () => {
    const answer = await send('/v1/me', { headers: { cookie: `millrace=${'A'.repeat(43)}` }, of: open });

    expect([answer.status, answer.body['open']]).toEqual([200, true]);
  });
});

describe('a session', () => {
  it('ends when its browser signs out, also for a copy of the cookie', async () => {
    const browser = await signedIn();
    const headers = { cookie: browser.cookie };
    expect(refusal(await send('/v1/sign-in', { method: 'DELETE', headers }))).toEqual([403, 'CSRF_REFUSED']);

    const answer = await send('/v1/sign-in', {
      method: 'DELETE',
      headers: { ...headers, 'x-millrace-ui': browser.csrf },
    });

    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      204,
      'millrace=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
    ]);
    expect(refusal(await me(browser))).toEqual([401, 'SESSION_ENDED']);
    expect(refusal(await start(browser))).toEqual([401, 'SESSION_ENDED']);
    expect((await send('/v1/sign-in', { method: 'DELETE', headers })).status).toBe(204);
  });

  it('ends with its key, together with its streams', async () => {
    const { key: made, secret } = await api.keys.create({ tenant: 'acme', scopes: ['run', 'read'] });
    const browser = await signedIn(secret);
    const run = String((await start(browser)).body['runId']);
    const streams = await Promise.all(
      [{ cookie: browser.cookie, 'sec-fetch-site': 'same-origin' }, { authorization: `Bearer ${secret}` }].map(
        (headers) =>
          fetch(`${api.orchestrator.url}/v1/runs/${run}/events`, {
            headers: { ...(headers as PageHeaders), accept: 'text/event-stream' },
          }),
      ),
    );

    await api.keys.revoke('acme', made.id);

    await Promise.all(streams.map((response) => response.text()));
    expect(refusal(await me(browser))).toEqual([401, 'SESSION_ENDED']);
  });

  it('ends the stream of a browser that signs out in another tab', async () => {
    const browser = await signedIn();
    const run = String((await start(browser)).body['runId']);
    const stream = await fetch(`${api.orchestrator.url}/v1/runs/${run}/events`, {
      headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin', accept: 'text/event-stream' },
    });

    const headers = { cookie: browser.cookie, 'x-millrace-ui': browser.csrf };
    await send('/v1/sign-in', { method: 'DELETE', headers });

    expect(await stream.text()).toContain('run.started');
  });
});

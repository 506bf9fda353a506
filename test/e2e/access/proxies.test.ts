import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import type { ServedApi } from '../../support/http/api.ts';
import { serveApi } from '../../support/http/api.ts';
import { ask } from '../../support/http/http.ts';

/** The server under test that believes the proxy of this machine, and the one that believes none. */
const trusting = openBeforeAll(() => serveApi({ httpLimits: { trustProxy: ['127.0.0.1'], requestsPerMinute: 3 } }));
const wary = openBeforeAll(() => serveApi({ httpLimits: { requestsPerMinute: 7 } }));

const runs = ({ orchestrator }: ServedApi, headers: Record<string, string>) =>
  ask(`${orchestrator.url}/v1/runs`, undefined, headers);

describe('an API without keys behind a proxy', () => {
  it('requires a key, as the client may be on another machine', async () => {
    for (const header of ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']) {
      const answer = await runs(wary, { [header]: 'for=127.0.0.1' });
      expect([header, answer.status, answer.body['code']]).toEqual([header, 401, 'KEY_MISSING']);
    }
  });

  it('serves a client of this machine that a trusted proxy reports, with its scheme and host', async () => {
    const local = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'localhost' };
    expect(await runs(trusting, { ...local, origin: 'https://localhost' })).toMatchObject({ status: 200 });
    expect(await runs(trusting, { ...local, origin: 'http://localhost' })).toMatchObject({
      status: 403,
      body: { code: 'ORIGIN_REFUSED' },
    });
    expect(await runs(trusting, { ...local, 'x-forwarded-for': '203.0.113.9' })).toMatchObject({
      status: 401,
      body: { code: 'KEY_MISSING' },
    });
  });
});

it('counts requests without a valid key by the client address that a trusted proxy reports', async () => {
  const statusOf = async (api: ServedApi, client: string) =>
    (await runs(api, { authorization: 'Bearer mk_nonsense', 'x-forwarded-for': client })).status;
  const statuses = async (api: ServedApi, client: string) => [
    await statusOf(api, client),
    await statusOf(api, client),
    await statusOf(api, client),
    await statusOf(api, client),
  ];

  expect(await statuses(trusting, '203.0.113.1')).toEqual([401, 401, 401, 429]);
  expect(await statusOf(trusting, '203.0.113.2')).toBe(401);
  const untrusted = await Promise.all(['203.0.113.3', '203.0.113.4'].map((client) => statuses(wary, client)));
  expect(untrusted.flat()).toContain(429);
});

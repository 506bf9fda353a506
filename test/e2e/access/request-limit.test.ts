import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

describe('the limit of requests', () => {
  const limited = openBeforeAll(() => serveApi({ httpLimits: { requestsPerMinute: 3 } }));

  it('counts each key separately and returns when to retry', async () => {
    const [one, two] = [await limited.keyOf('acme', 'read'), await limited.keyOf('acme', 'read')];
    const first = await limited.ask(one, '/v1/runs');
    expect(Object.fromEntries(first.headers)).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '2' });
    await limited.ask(one, '/v1/runs');
    await limited.ask(one, '/v1/runs');
    const refused = await limited.ask(one, '/v1/runs');
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await limited.ask(two, '/v1/runs')).status).toBe(200);
  });

  it('does not apply to health checks', async () => {
    for (const path of ['/healthz', '/readyz', '/healthz', '/readyz', '/healthz', '/readyz', '/healthz', '/healthz']) {
      expect((await fetch(`${limited.orchestrator.url}${path}`)).status).toBe(200);
    }
  });

  it('counts requests without a valid key by their address, and accepts others from there', async () => {
    const known = await limited.keyOf('acme', 'read');
    for (const address of ['a', 'b', 'c']) expect((await limited.ask(address, '/v1/runs')).status).toBe(401);
    const refused = await limited.ask('d', '/v1/runs');
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await limited.ask(known, '/v1/runs')).status).toBe(200);
  });
});

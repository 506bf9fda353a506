import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startOrchestrator } from '@millrace/orchestrator';
import type { JWK, JWTPayload } from 'jose';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServedApi } from '../../support/http/api.ts';
import { serveApi } from '../../support/http/api.ts';
import { flood } from '../../support/http/flood.ts';
import { listen } from '../../support/http/listen.ts';

const issuer = 'https://login.example';
const audience = 'millrace';
const question = 'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: Red? } }\n';

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let old: Pair;
let fresh: Pair;
/** Keys that the identity provider serves, and the number of requests for them. */
const served: { keys: JWK[]; asked: number } = { keys: [], asked: 0 };
const provider = createServer((_request, response) => {
  served.asked += 1;
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: served.keys }));
});
let api: ServedApi;

beforeAll(async () => {
  old = await generateKeyPair('ES256', { extractable: true });
  fresh = await generateKeyPair('ES256', { extractable: true });
  served.keys = [{ ...(await exportJWK(old.publicKey)), kid: 'old', alg: 'ES256' }];
  const port = await listen(provider);
  api = await serveApi({
    trust: {
      keys: { url: `http://127.0.0.1:${port}/jwks` },
      issuer,
      audience,
      tenantClaim: 'org.name',
      scopesClaim: 'roles',
      scopes: { viewer: ['read'], operator: ['read', 'run', 'answer'], owner: ['admin'] },
    },
  });
});

afterAll(async () => {
  await api.close();
  provider.close();
});

interface TokenOptions {
  readonly claims?: JWTPayload;
  readonly pair?: Pair;
  readonly kid?: string;
  readonly expires?: string | number;
}

const token = ({ claims = {}, pair = old, kid = 'old', expires = '1m' }: TokenOptions = {}): Promise<string> =>
  new SignJWT({ iss: issuer, aud: audience, sub: 'ada', org: { name: 'acme' }, roles: ['operator'], ...claims })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setExpirationTime(expires)
    .sign(pair.privateKey);

const seconds = (): number => Math.floor(Date.now() / 1000);

describe('a token of the identity provider', () => {
  it('gives access to its tenant within its roles', async () => {
    const operator = await token();
    const made = await api.ask(operator, '/v1/runs', { workflow: { yaml: question }, input: 'A fence.' });
    expect(made.status).toBe(201);
    const run = `/v1/runs/${made.body['runId']}`;

    const viewer = await token({ claims: { roles: 'viewer other' } });
    expect(await api.ask(viewer, run)).toMatchObject({ status: 200 });
    expect(await api.ask(viewer, `${run}/cancel`, {})).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
    const otherToken = await token({ claims: { org: { name: 'other' }, roles: ['owner'] } });
    expect(await api.ask(otherToken, run)).toMatchObject({ status: 404, body: { code: 'RUN_UNKNOWN' } });
    const key = await api.keyOf('acme', 'read');
    expect(await api.ask(key, run)).toMatchObject({ status: 200 });
    await api.ask(operator, `${run}/cancel`, {});
  });

  it('is required although there is no key', async () => {
    const response = await fetch(`${api.orchestrator.url}/v1/runs`);
    expect(response.status).toBe(401);
    expect(api.orchestrator.admits).toBe('keys');
  });

  it('can be signed with a new key of the provider', async () => {
    const server = await serveApi({ trust: { keys: jwksUrl(), issuer, audience } });
    const claims = { tenant: 'acme', scope: 'read' };
    expect((await server.ask(await token({ claims }), '/v1/runs')).status).toBe(200);
    expect((await server.ask(await token({ claims, pair: fresh, kid: 'new' }), '/v1/runs')).status).toBe(401);
    await server.close();
    served.keys.push({ ...(await exportJWK(fresh.publicKey)), kid: 'new', alg: 'ES256' });
    const later = await serveApi({ trust: { keys: jwksUrl(), issuer, audience } });
    const before = served.asked;
    expect((await later.ask(await token({ claims, pair: fresh, kid: 'new' }), '/v1/runs')).status).toBe(200);
    expect((await later.ask(await token({ claims }), '/v1/runs')).status).toBe(200);
    expect(served.asked - before).toBe(1);
    await later.close();
  });

  it('is valid for a short time after its expiry, as clocks differ', async () => {
    expect((await api.ask(await token({ expires: seconds() - 2 }), '/v1/runs')).status).toBe(200);
  });
});

const jwksUrl = () => ({ url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks` }); // it listens on a port

const secret = new TextEncoder().encode('0'.repeat(64));
const bad: Readonly<Record<string, () => Promise<string> | string>> = {
  'has expired': () => token({ expires: seconds() - 60 }),
  'is not valid yet': () => token({ claims: { nbf: seconds() + 60 } }),
  'never expires': () =>
    new SignJWT({ iss: issuer, aud: audience, sub: 'ada', org: { name: 'acme' }, roles: ['owner'] })
      .setProtectedHeader({ alg: 'ES256', kid: 'old' })
      .sign(old.privateKey),
  'is of another issuer': () => token({ claims: { iss: 'https://evil.example' } }),
  'is for another service': () => token({ claims: { aud: 'mail' } }),
  'names nobody': () => token({ claims: { sub: undefined as never } }),
  'names no tenant': () => token({ claims: { org: {} } }),
  'names a tenant that cannot be': () => token({ claims: { org: { name: 'acme~x' } } }),
  'is signed by somebody else': () => token({ pair: fresh }),
  'is signed with a key that is not known': () => token({ kid: 'other' }),
  'is not signed': () => new UnsecuredJWT({ sub: 'ada', roles: ['owner'] }).setIssuer(issuer).encode(),
  'is signed with a secret': () =>
    new SignJWT({ iss: issuer, aud: audience, sub: 'ada', org: { name: 'acme' }, roles: ['owner'] })
      .setProtectedHeader({ alg: 'HS256', kid: 'old' })
      .setExpirationTime('1m')
      .sign(secret),
  'was changed': async () => {
    const [head, , signature] = (await token()).split('.');
    const body = {
      iss: issuer,
      aud: audience,
      sub: 'ada',
      org: { name: 'acme' },
      roles: ['owner'],
      exp: seconds() + 60,
    };
    return [head, Buffer.from(JSON.stringify(body)).toString('base64url'), signature].join('.');
  },
};

describe('a token that', () => {
  it.each(Object.entries(bad))('%s is refused on every route', async (_why, make) => {
    const shown = await make();
    for (const { method, url, requiredScope } of api.orchestrator.routes) {
      if (requiredScope === 'nobody' || method === 'HEAD') continue;
      const headers = { authorization: `Bearer ${shown}` };
      const response = await fetch(`${api.orchestrator.url}${url.replaceAll(/:\w+/g, 'x')}`, { method, headers });
      const { code, detail } = (await response.json()) as { code: string; detail: string }; // a problem
      expect({ url, status: response.status, code }).toEqual({ url, status: 401, code: 'TOKEN_INVALID' });
      expect(detail).not.toContain(shown);
    }
  });

  it('grants no scope is refused on every route', async () => {
    const shown = await token({ claims: { roles: ['constructor', 'nobody'] } });
    for (const { method, url, requiredScope } of api.orchestrator.routes) {
      if (requiredScope === 'nobody' || method === 'HEAD') continue;
      const headers = { authorization: `Bearer ${shown}` };
      const response = await fetch(`${api.orchestrator.url}${url.replaceAll(/:\w+/g, 'x')}`, { method, headers });
      expect({ url, status: response.status }).toEqual({ url, status: 403 });
    }
  });

  it('cannot be checked during an outage of the provider gets the status 503', async () => {
    const away = await serveApi({ trust: { keys: { url: 'http://127.0.0.1:9/jwks' }, issuer, audience } });
    expect(await away.ask(await token(), '/v1/runs')).toMatchObject({ status: 503, body: { code: 'NOT_READY' } });
    await away.close();
  });

  it('is not checked with a key set without an end', async () => {
    let sent = 0;
    const endless = createServer(async (_request, response) => {
      const piece = 'x'.repeat(100_000);
      sent = await flood(response.writeHead(200), { start: '{"keys":["', piece, bytes: 700_000_000 });
    });
    const port = await listen(endless);
    const url = `http://127.0.0.1:${port}/jwks`;
    const server = await serveApi({ trust: { keys: { url }, issuer, audience } });

    expect(await server.ask(await token(), '/v1/runs')).toMatchObject({ status: 503, body: { code: 'NOT_READY' } });
    await server.close();
    await new Promise((resolve) => endless.close(resolve));
    expect(sent).toBeLessThan(20_000_000);
  });
});

describe('keys in a file', () => {
  const claims = { tenant: 'acme', scope: 'read' };

  it('can be a PEM public key, or a JWK', async () => {
    const texts = [await exportSPKI(old.publicKey), JSON.stringify(await exportJWK(old.publicKey))];
    for (const text of texts) {
      const server = await serveApi({ trust: { keys: { text }, issuer, audience } });
      expect((await server.ask(await token({ claims }), '/v1/runs')).status).toBe(200);
      expect((await server.ask(await token({ claims, pair: fresh }), '/v1/runs')).status).toBe(401);
      await server.close();
    }
  });

  it('never use a public key as a shared secret', async () => {
    const text = await exportSPKI(old.publicKey);
    const server = await serveApi({ trust: { keys: { text }, issuer, audience, algorithms: ['ES256', 'HS256'] } });
    const forged = await new SignJWT({ iss: issuer, aud: audience, sub: 'eve', ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode(text));
    expect((await server.ask(forged, '/v1/runs')).status).toBe(401);
    await server.close();
  });

  it('that are unusable keep the server from starting', async () => {
    const { runtime } = api;
    const starting = startOrchestrator({
      runtime,
      vocabulary: {} as never, // it does not come so far
      secret: async () => Buffer.from(''),
      port: 0,
      log: {} as never, // likewise
      trust: { keys: { text: 'no key' }, issuer, audience },
    });
    await expect(starting).rejects.toMatchObject({ code: 'TOKEN_KEYS_INVALID' });
  });
});

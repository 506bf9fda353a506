import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { waitUntil } from '../../support/waiting.ts';

const says = (text: string) =>
  `graph:\n  id: said\n  description: Says ${text}.\n  nodes:\n    - { id: Say, type: literal, config: { content: ${text} } }\n`;

const api = openBeforeAll(serveApi);
const keys: Record<'acme' | 'other', string> = { acme: '', other: '' };
/** Hashes of what acme has published: `shared` twice, which both tenants have, and `own`. */
const hashes = { first: '', second: '', own: '' };

beforeAll(async () => {
  keys.acme = await api.keyOf('acme', 'admin');
  keys.other = await api.keyOf('other', 'admin');
  await waitUntil(async () => (await fetch(`${api.orchestrator.url}/v1/runs`)).status === 401);
  hashes.first = await publish('acme', 'shared', says('acme-first'));
  hashes.second = await publish('acme', 'shared', says('acme-second'));
  hashes.own = await publish('acme', 'own', says('acme-own'));
  await publish('other', 'shared', says('other-only'));
});

type Tenant = keyof typeof keys;

async function publish(tenant: Tenant, name: string, yaml: string): Promise<string> {
  return String((await send(tenant, `PUT ${name}`, { body: { yaml } })).body['hash']);
}

interface RequestParts {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request such as `GET own/versions`, below /v1/workflows. */
async function send(tenant: Tenant, request: string, { body, headers = {} }: RequestParts = {}) {
  const [method = '', path = ''] = request.split(' ');
  const response = await fetch(`${api.orchestrator.url}/v1/workflows/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${keys[tenant]}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json: Record<string, unknown> = JSON.parse(text);
  return { status: response.status, text, body: json };
}

/** Everything that a tenant can see of its workflows. */
const seenBy = async (tenant: Tenant) =>
  Promise.all(
    ['shared', 'shared/versions', `shared/versions/${hashes.first}`, 'own', 'own/versions'].map((path) =>
      send(tenant, `GET ${path}`),
    ),
  );

/** Requests of the other tenant for what is acme's, by the route that each goes to. */
const intrusions: Readonly<Record<string, () => Promise<{ status: number; text: string }>[]>> = {
  'GET /v1/workflows/:name': () => [send('other', 'GET own'), send('other', 'GET shared')],
  'GET /v1/workflows/:name/overview': () => [send('other', 'GET own/overview'), send('other', 'GET shared/overview')],
  'GET /v1/workflows/:name/versions': () => [send('other', 'GET own/versions'), send('other', 'GET shared/versions')],
  'GET /v1/workflows/:name/versions/:hash': () => [
    send('other', `GET own/versions/${hashes.own}`),
    send('other', `GET shared/versions/${hashes.first}`),
    send('other', `GET shared/versions/${hashes.second}`),
  ],
  'PUT /v1/workflows/:name': () => [
    // It does not exist for this tenant, so there is nothing to replace.
    send('other', 'PUT own', { body: { yaml: says('other-own') }, headers: { 'if-match': '*' } }),
    send('other', 'PUT own', { body: { yaml: says('other-own') }, headers: { 'if-match': `"${hashes.own}"` } }),
    send('other', 'PUT shared', {
      body: { yaml: says('other-new') },
      headers: { 'if-match': `"${hashes.second}"` },
    }),
    send('other', 'PUT shared', { body: { yaml: says('other-new') } }),
  ],
  'DELETE /v1/workflows/:name': () => [
    send('other', 'DELETE own'),
    send('other', 'DELETE shared', { headers: { 'if-match': `"${hashes.second}"` } }),
    send('other', 'DELETE shared'),
  ],
};

describe('the routes of a workflow', () => {
  it('are all tested below', () => {
    const routes = api.orchestrator.routes
      .filter(({ method, url }) => method !== 'HEAD' && url.startsWith('/v1/workflows/:name'))
      .map(({ method, url }) => `${method} ${url}`);

    expect(routes.sort()).toEqual(Object.keys(intrusions).sort());
  });

  it.each(Object.entries(intrusions))('%s shows and changes nothing of another tenant', async (_route, intrude) => {
    const before = await seenBy('acme');
    const answers = await Promise.all(intrude());

    for (const { text } of answers) expect(text).not.toMatch(/acme-/);
    expect(await seenBy('acme')).toEqual(before);
  });

  it('return the same for the name of another tenant as for an unknown name', async () => {
    for (const [method, path, sent] of [
      ['GET', ''],
      ['GET', '/overview'],
      ['GET', '/versions'],
      ['GET', `/versions/${'0'.repeat(32)}`],
      ['DELETE', ''],
      ['PUT', '', { body: { yaml: says('x') }, headers: { 'if-match': '*' } }],
    ] as const) {
      const [theirs, nobodys] = await Promise.all([
        send('acme', `${method} nobodys${path}`, sent),
        send('other', `${method} nobodys${path}`, sent),
      ]);
      const foreign = await send('other', `${method} foreign${path}`, sent);
      await publish('acme', 'foreign', says('acme-foreign'));
      const again = await send('other', `${method} foreign${path}`, sent);

      expect([theirs.status, again.status]).toEqual([nobodys.status, nobodys.status]);
      expect(again.text.replaceAll(/"(instance|requestId)":"[^"]*"/g, '')).toBe(
        foreign.text.replaceAll(/"(instance|requestId)":"[^"]*"/g, ''),
      );
    }
  });
});

describe('each way to start a run by the name of a workflow', () => {
  it.each([
    ['/v1/runs', () => ({ workflow: 'own' })],
    ['/v1/runs', () => ({ workflow: `own@${hashes.own}` })],
    ['/v1/runs', () => ({ workflow: `shared@${hashes.first}` })],
    ['/v1/batches', () => ({ workflow: 'own', rows: [{ input: '' }] })],
    ['/v1/schedules', () => ({ id: 'intruder', cron: '0 0 1 1 *', run: { workflow: 'own' } })],
  ] as const)('%s finds no workflow of another tenant', async (path, request) => {
    await publish('other', 'shared', says('other-only'));
    expect(await api.ask(keys.other, path, request())).toMatchObject({
      status: 404,
      body: { code: 'WORKFLOW_UNKNOWN' },
    });
  });

  it('uses the own workflow of a name that both tenants have', async () => {
    await publish('other', 'shared', says('other-only'));
    const run = async (tenant: Tenant) => {
      const { body } = await api.ask(keys[tenant], '/v1/runs', { workflow: 'shared' });
      return (await api.ask(keys[tenant], `/v1/runs/${body['runId']}?wait=30s`)).body['output'];
    };

    expect([await run('acme'), await run('other')]).toEqual(['acme-second', 'other-only']);
  });

  it('as a tool of the MCP server lists, describes and calls only own workflows', async () => {
    await publish('other', 'shared', says('other-only'));
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${keys.other}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${api.orchestrator.url}/mcp`), { requestInit }));
    const listed = JSON.stringify(await client.listTools());
    const own = await client.callTool({ name: 'run_shared', arguments: { waitSeconds: 30 } });
    const foreign = await client.callTool({ name: 'run_own', arguments: {} }).catch((error: unknown) => error);
    await client.close();

    expect(listed).toContain('Says other-only');
    expect(listed).not.toContain('acme-');
    expect(JSON.stringify(own)).toContain('other-only');
    expect(`${JSON.stringify(foreign)} ${String(foreign)}`).toMatch(/WORKFLOW_UNKNOWN|no workflow|unknown/i);
  });
});

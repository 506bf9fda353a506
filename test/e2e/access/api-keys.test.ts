import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { waitUntil } from '../../support/waiting.ts';

const question =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';

/** Bodies that make a schedule which starts nothing during this test, and a batch. */
const scheduled = { id: 'new', cron: '0 0 1 1 *', run: { workflow: { yaml: question } } };
const table = { workflow: { yaml: question }, rows: [{ input: 'A fence.' }] };

const api = openBeforeAll(() => serveApi({ webhooks: { allow: ['loopback'] } }));
const acme = openBeforeAll(() => api.tenant('acme', 'admin'));
const otherTenant = openBeforeAll(() => api.tenant('other', 'admin'));
/** Objects of the tenant `acme`, by the route that leads to them. */
let owned: Readonly<Record<string, string>>;

beforeAll(async () => {
  const hook = await acme.ask('/v1/webhooks', { url: 'http://127.0.0.1:9/' });
  const { body } = await acme.ask('/v1/runs', { workflow: { yaml: question }, input: 'A fence.', tags: ['t'] });
  const run = String(body['runId']);
  const waiting = await acme.ask(`/v1/runs/${run}?wait=30s`);
  const [task] = waiting.body['tasks'] as { id: string }[]; // the run has one question
  const [key] = await api.keys.list('acme', '', 1);
  const published = await fetch(`${api.orchestrator.url}/v1/workflows/fences`, {
    method: 'PUT',
    body: JSON.stringify({ yaml: question }),
    headers: { authorization: `Bearer ${acme.key}`, 'content-type': 'application/json' },
  });
  const { hash } = (await published.json()) as { hash: string }; // what publishing answers
  const upload = new FormData();
  upload.set('file', new Blob(['red']), 'colour.txt');
  const uploaded = await fetch(`${api.orchestrator.url}/v1/files`, {
    method: 'POST',
    body: upload,
    headers: { authorization: `Bearer ${acme.key}` },
  });
  const file = (await uploaded.json()) as { id: string }; // what an upload answers
  const delivery = await deliveryTo(String(hook.body['id']));
  await acme.ask('/v1/schedules', { ...scheduled, id: 'fence-painting' });
  await acme.ask('/v1/batches', { ...table, id: 'many-fences' });
  const bulk = await acme.ask('/v1/bulk', { action: 'cancel', filter: { tag: 'unused' } });
  owned = {
    '/v1/bulk/:id': String(bulk.body['id']),
    '/v1/intake/quarantine/:id': 'refused-job',
    '/v1/files/:id': file.id,
    '/v1/runs/:id': run,
    '/v1/tasks/:id': task?.id ?? '',
    '/v1/keys/:id': key?.id ?? '',
    '/v1/workflows/:name': 'fences',
    ':hash': hash,
    '/v1/schedules/:id': 'fence-painting',
    '/v1/batches/:id': 'many-fences',
    '/v1/webhooks/:id': String(hook.body['id']),
    ':did': delivery,
  };
});

/** The first delivery to a webhook of acme. */
async function deliveryTo(webhook: string): Promise<string> {
  for (;;) {
    const { body } = await acme.ask(`/v1/webhooks/${webhook}/deliveries`);
    const [first] = body['data'] as { id: string }[]; // what the log answers
    if (first !== undefined) return first.id;
    await sleep(20);
  }
}

/** Things that belong to no tenant, by route. */
const everybodys: Readonly<Record<string, string>> = {
  '/v1/queues/:queue': 'default',
  '/v1/limits/:tenant': 'acme',
};

/** Valid bodies of requests, by route. */
const bodies: Readonly<Record<string, unknown>> = {
  'POST /v1/tasks/:id/answer': { text: 'Red.' },
  'POST /v1/tasks/:id/claim': { assignee: 'ann' },
  'POST /v1/tasks/:id/release': { assignee: 'ann' },
  'POST /v1/runs/:id/fork': { at: 'a1' },
  'POST /v1/runs': { workflow: { yaml: question } },
  'POST /v1/webhooks': { url: 'https://example.com/hook' },
  'POST /v1/schedules': scheduled,
  'PATCH /v1/schedules/:id': { description: 'for spring' },
  'POST /v1/batches': table,
  'POST /v1/bulk': { action: 'cancel', filter: { tag: 'unused' } },
  'PUT /v1/limits/:tenant': { activations: 3 },
  'PUT /v1/limits/:tenant/workflows/:workflow': { activations: 3 },
  'POST /v1/keys': { scopes: ['read'] },
  'POST /v1/workflows/validate': { yaml: question },
};
const queries: Readonly<Record<string, string>> = { 'GET /v1/tasks': '?run=RUN', 'GET /v1/runs/:id/fork': '?at=a1' };

interface Route {
  readonly method: string;
  readonly url: string;
  readonly requiredScope: string | readonly string[];
}

const routes = (): readonly Route[] => api.orchestrator.routes.filter(({ method }) => method !== 'HEAD');
const guarded = (): readonly Route[] => routes().filter(({ requiredScope }) => requiredScope !== 'nobody');
const forOperators = () =>
  guarded()
    .filter(({ requiredScope }) => requiredScope === 'operator')
    .map(nameOf);
const nameOf = ({ method, url }: Route): string => `${method} ${url}`;

/** Returns a name or an id of the same form that nothing has. */
const unused = (own: string): string =>
  own.replace(/^(.{5})(.)/, (_all, head, one) => head + (one === '0' ? '1' : '0'));

/** Returns a text about what acme has as one about what nobody has. */
const ofNobody = (text: string): string =>
  Object.entries(owned).reduce(
    (rest, [place, own]) => (place.startsWith(':') || own === '' ? rest : rest.replaceAll(own, unused(own))),
    text,
  );

/** The address of what belongs to acme. */
function addressOf(route: Route): string {
  const [pattern] = /^.*?:\w+/.exec(route.url) ?? [];
  const own = pattern === undefined ? '' : (owned[pattern] ?? everybodys[pattern]);
  if (own === undefined) throw new Error(`Say above what of acme's ${nameOf(route)} leads to.`);
  const query = (queries[nameOf(route)] ?? '').replace('RUN', owned['/v1/runs/:id'] ?? '');
  return (
    route.url
      .replace(/:\w+/, own)
      .replace(':hash', owned[':hash'] ?? '')
      .replace(':aid', 'a1')
      .replace(':did', owned[':did'] ?? '')
      .replace(':mid', 'm1')
      .replace(':step', '0')
      .replace(':row', '1')
      .replace('attachments/:file', `attachments/${'0'.repeat(32)}`)
      .replace(':workflow', 'question')
      .replace(':file', '0'.repeat(24)) + query
  );
}

async function asked(route: Route, authorization?: string, address = addressOf(route)) {
  const { method } = route;
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(method === 'POST' || method === 'PUT' || method === 'PATCH' ? { 'content-type': 'application/json' } : {}),
    accept: 'application/json',
  };
  const body = 'content-type' in headers ? { body: JSON.stringify(bodies[nameOf(route)] ?? {}) } : {};
  const response = await fetch(`${api.orchestrator.url}${address}`, { method, headers, ...body });
  const text = await textOf(response);
  return { route: nameOf(route), status: response.status, text, code: /"code":"(\w+)"/.exec(text)?.[1] };
}

/** Returns the body of a response, or the beginning of an endless one. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text();
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

const outcomes = async (authorization: (route: Route) => string | undefined | Promise<string | undefined>) =>
  Promise.all(guarded().map(async (route) => asked(route, await authorization(route))));

describe('every route', () => {
  it('without a required scope is on the list of routes without data of tenants', () => {
    const open = routes().filter(({ requiredScope }) => requiredScope === 'nobody');

    expect(open.map(nameOf).sort()).toEqual([
      'DELETE /v1/sign-in',
      'GET /',
      'GET /healthz',
      'GET /openapi.json',
      'GET /readyz',
      'POST /v1/sign-in',
    ]);
  });

  it('refuses requests without a key', async () => {
    for (const { route, status, code } of await outcomes(() => undefined)) {
      expect({ route, status, code }).toEqual({ route, status: 401, code: 'KEY_MISSING' });
    }
  });

  it.each(['Bearer nonsense', `Bearer mk_acme_${'0'.repeat(12)}_${'0'.repeat(64)}`, 'Basic YTpi', 'Bearer'])(
    'refuses "%s"',
    async (authorization) => {
      for (const { route, status, code } of await outcomes(() => authorization)) {
        expect({ route, status, code }).toEqual({ route, status: 401, code: 'KEY_INVALID' });
      }
    },
  );

  it('refuses a key with all scopes except the required one', async () => {
    const refused = await outcomes(async ({ requiredScope }) => {
      const others = (['read', 'run', 'answer'] as const).filter((scope) => !requiredScope.includes(scope));
      return `Bearer ${await api.keyOf('acme', ...others)}`;
    });
    for (const { route, status, code } of refused) {
      expect({ route, status, code }).toEqual({ route, status: 403, code: 'SCOPE_MISSING' });
    }
  });

  it('neither shows nor changes anything of one tenant for the admin of another', async () => {
    const before = await acme.ask(`/v1/runs/${owned['/v1/runs/:id']}`);
    for (const { route, status, text } of await outcomes(() => `Bearer ${otherTenant.key}`)) {
      // No tenant can see or change what concerns all tenants.
      if (forOperators().includes(route)) {
        expect({ route, status }).toEqual({ route, status: 403 });
        continue;
      }
      const leads = route.includes(':') || route === 'GET /v1/tasks';
      // What is published anew needs nothing that is there.
      const makes = route.startsWith('PUT');
      expect({ route, unknown: status === 404 }).toEqual({ route, unknown: leads && !makes });
      // The response repeats only the address of the request.
      // A hash names the text that this tenant has sent itself.
      const names = Object.entries(owned).flatMap(([place, own]) => (place === ':hash' ? [] : [own]));
      if (!leads) for (const own of names) expect(text).not.toContain(own);
    }
    expect((await acme.ask(`/v1/runs/${owned['/v1/runs/:id']}`)).body).toEqual(before.body);
    const [key] = await api.keys.list('acme', owned['/v1/keys/:id']?.slice(0, -1) ?? '', 1);
    expect(key?.revokedAt).toBeUndefined();
  });

  it('answers for what another tenant has as for what nobody has', async () => {
    const leading = guarded().filter(
      (route) =>
        (route.url.includes(':') || nameOf(route) === 'GET /v1/tasks') &&
        route.method !== 'PUT' &&
        route.requiredScope !== 'operator',
    );
    expect(leading.length).toBeGreaterThan(60);
    const authorization = `Bearer ${otherTenant.key}`;
    for (const route of leading) {
      const [foreign, missing] = [addressOf(route), ofNobody(addressOf(route))];
      expect(missing).not.toBe(foreign);
      const [seen, expected] = [
        await asked(route, authorization, foreign),
        await asked(route, authorization, missing),
      ].map(({ status, text }) => ({ route: nameOf(route), status, text: ofNobody(text).replace(requestId, '') }));
      expect(seen).toEqual(expected);
    }
  });

  it('works for the own tenant', async () => {
    // This run has written no file, and asked no model.
    const read = guarded().filter(({ method, url }) => method === 'GET' && !/:(?:file|step)$/.test(url));
    for (const route of read) expect(await asked(route, `Bearer ${acme.key}`)).not.toMatchObject({ status: 404 });
  });
});

const requestId = /"requestId":"[^"]*"/;

describe('a tenant', () => {
  const workflow = { workflow: { yaml: question } };

  it.each<[path: string, body?: () => object]>([
    ['/v1/runs', () => ({ workflow: owned['/v1/workflows/:name'] })],
    ['/v1/runs', () => ({ workflow: `${owned['/v1/workflows/:name']}@${owned[':hash']}` })],
    ['/v1/runs', () => ({ ...workflow, attachments: [owned['/v1/files/:id']] })],
    ['/v1/batches', () => ({ ...table, workflow: owned['/v1/workflows/:name'] })],
    ['/v1/schedules', () => ({ ...scheduled, run: { workflow: owned['/v1/workflows/:name'] } })],
    ['/v1/schedules', () => ({ ...scheduled, run: { ...workflow, attachments: [owned['/v1/files/:id']] } })],
    ['/v1/bulk', () => ({ action: 'cancel', filter: { ids: [owned['/v1/runs/:id']] } })],
    ['/v1/bulk', () => ({ action: 'cancel', filter: { workflow: 'question', tag: 't' } })],
    ['/v1/runs?of=RUN'],
    ['/v1/runs?q=RUN'],
    ['/v1/runs?tag=t'],
    ['/v1/runs?text=fence'],
    ['/v1/runs?cursor=999999999999999.RUN'],
    ['/v1/runs/counts?tag=t'],
    ['/v1/tasks?cursor=999999999999999.RUN.a0'],
    ['/v1/batches?cursor=many-fencer'],
    ['/v1/schedules?cursor=fence'],
    ['/v1/workflows?cursor=fence'],
    ['/v1/keys?cursor=0'],
    ['/v1/usage?by=workflow&workflow=question'],
  ])('names what another has in vain: %s', async (path, body) => {
    const run = owned['/v1/runs/:id'] ?? '';
    const before = await acme.ask(`/v1/runs/${run}`);
    const fresh = await api.tenant(`new-${randomUUID().slice(0, 8)}`, 'admin');
    /** What is new in each response differs. */
    const outcomeOf = async (textFor: (text: string) => string) => {
      const sent = body === undefined ? undefined : JSON.parse(textFor(JSON.stringify(body())));
      const { status, body: answer } = await fresh.ask(textFor(path.replace('RUN', run)), sent);
      const text = ofNobody(JSON.stringify(answer)).replace(requestId, '');
      return { status, text: text.replace(/bulk_[0-9a-f]+/g, 'bulk').replace(/"\w*(?:At|ntil|ince)":\d+/g, '') };
    };

    const [seen, expected] = [await outcomeOf((text) => text), await outcomeOf(ofNobody)];

    expect(seen).toEqual(expected);
    expect(seen.text).not.toContain('A fence');
    expect((await acme.ask(`/v1/runs/${run}`)).body).toEqual(before.body);
  });

  it('gets a response of its own under an idempotency key of another', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const [first, second] = [
      await acme.ask('/v1/runs', workflow, headers),
      await otherTenant.ask('/v1/runs', workflow, headers),
    ];

    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body['runId']).not.toBe(first.body['runId']);
    expect((await acme.ask('/v1/runs', workflow, headers)).body['runId']).toBe(first.body['runId']);
  });

  it('cannot access the run of another by its full id', async () => {
    const plain = await api.keyOf('default', 'admin');
    const run = owned['/v1/runs/:id'] ?? '';
    for (const id of [run, `acme~${run}`, encodeURIComponent(`acme~${run}`)]) {
      expect((await api.ask(plain, `/v1/runs/${id}`)).status).not.toBe(200);
    }
    const taken = await api.ask(plain, '/v1/runs', { workflow: { yaml: question }, runId: `acme~${run}` });
    expect(taken.status).toBe(400);
  });

  it('can use the run id of another tenant', async () => {
    const mine = await otherTenant.ask('/v1/runs', { workflow: { yaml: question }, runId: owned['/v1/runs/:id'] });
    expect(mine).toMatchObject({ status: 201, body: { runId: owned['/v1/runs/:id'] } });
    expect(JSON.stringify(mine.body)).not.toContain('~');
    await otherTenant.ask(`/v1/runs/${owned['/v1/runs/:id']}/cancel`, {});
  });
});

describe('a key', () => {
  it('is refused after it was revoked', async () => {
    const { secret, key } = await api.keys.create({ tenant: 'acme', scopes: ['read'] });
    expect((await api.ask(secret, '/v1/runs')).status).toBe(200);
    const revoked = await fetch(`${api.orchestrator.url}/v1/keys/${key.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${acme.key}` },
    });
    expect(await revoked.json()).toMatchObject({ id: key.id, revokedAt: expect.any(Number) });
    await waitUntil(async () => (await api.ask(secret, '/v1/runs')).status === 401);
  });

  it('ends when it expires', async () => {
    const expiresAt = api.runtime.store.now() - 1;
    const { secret } = await api.keys.create({ tenant: 'acme', scopes: ['read'], expiresAt });
    expect(await api.ask(secret, '/v1/runs')).toMatchObject({ status: 401, body: { code: 'KEY_INVALID' } });
  });

  it('is not created with a useless configuration', async () => {
    const made = await acme.ask('/v1/keys', { scopes: ['read'], expiresAt: 1 });
    expect(made).toMatchObject({ status: 400, body: { code: 'REQUEST_INVALID', errors: [{ pointer: '/expiresAt' }] } });
  });

  it('has the time of its last use', async () => {
    const { secret, key } = await api.keys.create({ tenant: 'acme', scopes: ['read'] });
    const seen = async () => {
      const { body } = await acme.ask('/v1/keys?limit=200');
      return (body['data'] as { id: string; usedAt?: number }[]).find(({ id }) => id === key.id); // as its schema has it
    };
    expect(await seen()).not.toHaveProperty('usedAt');

    await api.ask(secret, '/v1/runs');

    await expect.poll(seen).toMatchObject({ usedAt: expect.any(Number) });
  });

  it('is created by an admin for the own tenant, and shown once', async () => {
    const made = await acme.ask('/v1/keys', { scopes: ['read'], name: 'ci' });
    const key = String(made.body['key']);
    expect(made).toMatchObject({ status: 201, body: { name: 'ci', scopes: ['read'] } });
    expect((await api.ask(key, '/v1/runs')).body['data']).toContainEqual(
      expect.objectContaining({ runId: owned['/v1/runs/:id'], workflow: 'question' }),
    );
    const listed = await acme.ask('/v1/keys?limit=200');
    expect(JSON.stringify(listed.body)).not.toContain(key);
    expect(listed.body['data']).toContainEqual(expect.objectContaining({ id: made.body['id'] }));
  });
});

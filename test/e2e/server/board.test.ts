import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { waitUntil } from '../../support/waiting.ts';

const painting =
  'graph:\n  id: painting\n  nodes:\n    - { id: Paint, type: literal, queue: gpu, config: { content: red } }\n';

const api = openBeforeAll(serveApi);
let operator: string;

/** As a browser asks that was given the key as a password. */
const basic = (key: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`ann:${key}`).toString('base64')}`,
});

const open = (path: string, init: RequestInit = {}) => fetch(`${api.orchestrator.url}${path}`, init);

/** The names of the queues that the board shows, and which of them may only be looked at. */
async function shown(): Promise<ReadonlyMap<string, boolean>> {
  const response = await open('/admin/queues/api/queues', { headers: basic(operator) });
  expect(response.status).toBe(200);
  const { queues } = (await response.json()) as { queues: { name: string; readOnlyMode: boolean }[] }; // what its page reads
  return new Map(queues.map(({ name, readOnlyMode }) => [name, readOnlyMode]));
}

describe('the board of queues', () => {
  it('is open to this machine while there are no keys, but not to pages of other origins', async () => {
    expect((await open('/admin/queues')).status).toBe(200);
    const foreign = await open('/admin/queues/api/queues', { headers: { origin: 'http://elsewhere.example' } });
    expect(foreign.status).toBe(403);
    // From here on there is a key.
    operator = await api.keyOf('default', 'admin');
    await waitUntil(async () => (await open('/admin/queues')).status === 401);
  });

  it('is a page without resources of other origins', async () => {
    const page = await open('/admin/queues', { headers: basic(operator) });
    const html = await page.text();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('https:');

    const [, base = ''] = /<base href="([^"]+)"/.exec(html) ?? [];
    const parts = [...html.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, path = '']) => base + path);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts)
      expect([part, (await open(part, { headers: basic(operator) })).status]).toEqual([part, 200]);
    // Where it leads within itself can be opened again.
    expect((await open('/admin/queues/queue/jobs', { headers: basic(operator) })).status).toBe(200);
  });

  it('shows all queues, and later ones', async () => {
    const before = await shown();
    expect([...before.keys()].sort()).toEqual(['batches', 'bulk', 'jobs', 'millrace-intake', 'webhooks']);

    await api.ask(operator, '/v1/runs', { workflow: { yaml: painting } });
    await waitUntil(async () => (await shown()).has('jobs-gpu'));

    expect(new Set((await shown()).values())).toEqual(new Set([true]));
    const path = '/admin/queues/api/queues?activeQueue=jobs-gpu&status=latest&page=1&jobsPerPage=10';
    const response = await open(path, { headers: basic(operator) });
    expect(await response.text()).toContain('"id":"a1.');
  });

  it('changes nothing', async () => {
    const { id } = (await waiting()) ?? { id: '' };
    for (const [method, path] of [
      ['PUT', `queues/jobs-gpu/${id}/retry`],
      ['PUT', `queues/jobs-gpu/${id}/clean`],
      ['PUT', 'queues/jobs-gpu/clean/waiting'],
      ['PUT', 'queues/jobs-gpu/pause'],
      ['PUT', 'queues/jobs-gpu/obliterate'],
      ['POST', 'queues/jobs-gpu/add'],
      ['PATCH', `queues/jobs-gpu/${id}/update-data`],
      ['PUT', 'queues/pause'],
    ] as const) {
      const headers = { ...basic(operator), 'content-type': 'application/json' };
      const { status } = await open(`/admin/queues/api/${path}`, { method, headers, body: '{}' });
      expect([path, status]).toEqual([path, 404]);
    }
    expect(await waiting()).toMatchObject({ id, name: 'wake' });
  });

  it('is loaded once for requests at the same time, and answers those for nothing as other routes do', async () => {
    const served = await serveApi();
    const first = (path: string) => fetch(`${served.orchestrator.url}/admin/queues${path}`);
    const paths = ['', '/', '/api/queues', '/api/queues/none/1', '/static/none.js', '/api/none'];

    const answers = await Promise.all([...paths, ...paths].map(first));
    const statuses = answers.map(({ status }) => status);

    expect(statuses).toEqual([200, 200, 200, 404, 404, 404, 200, 200, 200, 404, 404, 404]);
    expect(await answers[5]?.json()).toMatchObject({
      code: 'ROUTE_UNKNOWN',
      instance: '/admin/queues/api/none',
      requestId: answers[5]?.headers.get('x-request-id'),
    });
    const head = await fetch(`${served.orchestrator.url}/admin/queues`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const icon = await first('/static/favicon-32x32.png');
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Number(icon.headers.get('content-length'))).toBe((await icon.arrayBuffer()).byteLength);
    await served.close();
  });

  it('requires a key of an operator', async () => {
    const nobody = await open('/admin/queues');
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="millrace"']);
    expect(await nobody.json()).toMatchObject({ code: 'KEY_MISSING' });
    const unknownKey = await open('/admin/queues/api/queues', { headers: basic('mk_nonsense') });
    expect([unknownKey.status, await unknownKey.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'KEY_INVALID' }),
    ]);
    for (const key of [await api.keyOf('acme', 'admin'), await api.keyOf('default', 'read', 'run', 'answer')]) {
      const refused = await open('/admin/queues/api/queues', { headers: basic(key) });
      expect([refused.status, await refused.json()]).toEqual([403, expect.objectContaining({ code: 'SCOPE_MISSING' })]);
    }
    expect((await open('/admin/queues', { headers: { authorization: `Bearer ${operator}` } })).status).toBe(200);
  });
});

it('accepts a password on no other route, as browsers send it with requests of any page', async () => {
  for (const path of ['/v1/queues', '/v1/runs', '/metrics']) {
    const response = await open(path, { headers: basic(operator) });
    expect([path, response.status]).toEqual([path, 401]);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="millrace"');
  }
});

/** The job that waits for a worker of the queue "gpu". */
async function waiting(): Promise<{ readonly id: string; readonly name: string } | undefined> {
  const path = '/admin/queues/api/queues?activeQueue=jobs-gpu&status=waiting&page=1&jobsPerPage=10';
  const response = await open(path, { headers: basic(operator) });
  const { queues } = (await response.json()) as { queues: { jobs: { id: string; name: string }[] }[] }; // what its page reads
  return queues.flatMap(({ jobs }) => jobs)[0];
}

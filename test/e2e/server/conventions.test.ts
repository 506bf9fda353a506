import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const literal = (id: string) =>
  `graph:\n  id: ${id}\n  nodes:\n    - { id: Say, type: literal, config: { content: Hi } }\n`;
const question =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';
const slow = `graph:
  id: slow
  nodes:
    - id: A
      type: agent
      config: { provider: scripted, name: m, params: { default: { text: done, delay_ms: 60000 } } }
`;
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const api = openBeforeAll(() => serveApi({ httpLimits: { corsOrigins: ['https://app.example'] } }));
const acme = openBeforeAll(() => api.tenant('acme', 'admin'));
const other = openBeforeAll(() => api.tenant('other', 'admin'));

const start = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  acme.ask('/v1/runs', { workflow: { yaml: literal('poem') }, ...body }, headers);

/** Returns the name under which the data of a request with this key is kept. */
const nameOf = (idempotencyKey: string): string =>
  `replay/acme/${createHash('sha256').update(idempotencyKey).digest('hex')}`;

describe('an idempotency key', () => {
  it('returns the first response again, whatever has happened since', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    const first = await start({ input: 'a', tags: ['x', 'y'] }, headers);
    await acme.ask(`/v1/runs/${first.body['runId']}?wait=30s`);
    const again = await acme.ask(
      '/v1/runs',
      { tags: ['x', 'y'], input: 'a', workflow: { yaml: literal('poem') } },
      headers,
    );

    expect(first.status).toBe(201);
    expect(first.headers.get('idempotent-replayed')).toBe('false');
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
  });

  it('returns the same response to concurrent requests, and marks the executed one', async () => {
    const headers = { 'idempotency-key': 'order-2' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => start({ tags: ['once'] }, headers)));

    const [first] = answers.filter((one) => one.headers.get('idempotent-replayed') === 'false');
    const others = answers.filter((one) => one !== first);
    for (const one of others) {
      expect([one.status, one.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(one.body).toEqual(first?.body);
    }
    expect((await acme.ask('/v1/runs?tag=once')).body['data']).toHaveLength(1);
  });

  it('is valid for one request and one tenant only', async () => {
    const headers = { 'idempotency-key': 'order-3' };
    const first = await start({ input: 'a' }, headers);
    expect(await start({ input: 'b' }, headers)).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_MISMATCH' } });
    const foreign = await other.ask('/v1/runs', { workflow: { yaml: literal('poem') }, input: 'a' }, headers);
    expect(foreign.status).toBe(201);
    expect(foreign.headers.get('idempotent-replayed')).toBe('false');
    expect(foreign.body['runId']).not.toBe(first.body['runId']);
  });

  it('continues under the same run id after a server died during the request', async () => {
    const headers = { 'idempotency-key': 'order-4' };
    const first = await start({ input: 'a' }, headers);
    const { registry } = api.runtime.store;
    const name = nameOf('order-4');
    const stored = JSON.parse((await registry.hold(name, '', 1)) ?? '{}') as { hash: string; seed: string };
    await registry.replace(name, JSON.stringify({ hash: stored.hash, seed: stored.seed }), 60_000);
    await registry.hold(`${name}/lease`, '1', 60_000);
    expect(await start({ input: 'a' }, headers)).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_IN_FLIGHT' },
    });
    await registry.swap(`${name}/lease`, { before: '1' });

    expect((await start({ input: 'a' }, headers)).body['runId']).toBe(first.body['runId']);
  });

  it('repeats a refusal, but not an error of the request itself', async () => {
    const run = (await acme.ask('/v1/runs', { workflow: { yaml: literal('poem') } })).body['runId'];
    await acme.ask(`/v1/runs/${run}?wait=30s`);
    const cancel = () => acme.ask(`/v1/runs/${run}/cancel`, {}, { 'idempotency-key': 'cancel-1' });
    const refused = await cancel();
    const again = await cancel();
    expect(again).toMatchObject({ status: 409, body: refused.body });
    expect(again.headers.get('content-type')).toContain('application/problem+json');
    expect(await start({ tags: 7 }, { 'idempotency-key': 'order-5' })).toMatchObject({ status: 400 });
    expect(await start({ tags: ['7'] }, { 'idempotency-key': 'order-5' })).toMatchObject({ status: 201 });
  });

  it('belongs to the present executor of the request when the first one exceeded its time', async () => {
    const { registry } = api.runtime.store;
    const lease = `${nameOf('order-6')}/lease`;
    const leased = async (than?: string): Promise<string> => {
      for (;;) {
        const [text] = await registry.held([lease]);
        if (text !== undefined && text !== than) return text;
        await sleep(10);
      }
    };
    const asking = (wait: number) =>
      start({ workflow: { yaml: slow } }, { 'idempotency-key': 'order-6', prefer: `wait=${wait}` });
    const first = asking(1);
    const before = await leased();
    // As if it had run out.
    await registry.swap(lease, { before });
    const second = asking(30);
    const now = await leased(before);

    const { body, status } = await first;
    expect([status, await registry.held([lease])]).toEqual([201, [now]]);
    await acme.ask(`/v1/runs/${body['runId']}/cancel`, {});
    expect((await second).body).toMatchObject({ runId: body['runId'], status: 'cancelled' });
    expect((await asking(1)).body).toEqual(body);
    expect(await registry.held([lease])).toEqual([undefined]);
  });

  it.each([
    ['half a character', '{"workflow":{"yaml":YAML},"input":"\\ud83d"}', 201],
    ['a number beyond all', '{"workflow":{"yaml":YAML},"vars":{"N":1e999}}', 201],
    [
      'more lists than anybody reads',
      `{"workflow":{"yaml":YAML},"vars":{"L":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
      400,
    ],
  ])('is accepted with a body that contains %s', async (what, body, status) => {
    const send = async () => {
      const response = await fetch(`${api.orchestrator.url}/v1/runs`, {
        method: 'POST',
        body: body.replace('YAML', () => JSON.stringify(literal('poem'))),
        headers: {
          authorization: `Bearer ${acme.key}`,
          'content-type': 'application/json',
          'idempotency-key': what.replaceAll(' ', '-'),
        },
      });
      return { status: response.status, body: await response.text() };
    };
    const first = await send();
    expect(first).toMatchObject({ status });
    if (status === 201) expect(await send()).toEqual(first);
  });

  it('does not change the response of an unknown path', async () => {
    const lost = await acme.ask('/v1/nope', {}, { 'idempotency-key': 'lost' });
    expect(lost).toMatchObject({ status: 404, body: { code: 'ROUTE_UNKNOWN' } });
  });

  it('is refused where the response contains a secret, and when it is malformed', async () => {
    const made = await acme.ask('/v1/keys', { scopes: ['read'] }, { 'idempotency-key': 'key-1' });
    expect(made).toMatchObject({ status: 400, body: { code: 'IDEMPOTENCY_UNSUPPORTED' } });
    expect(await start({}, { 'idempotency-key': 'x'.repeat(256) })).toMatchObject({
      status: 400,
      body: { code: 'IDEMPOTENCY_KEY_INVALID' },
    });
  });
});

describe('a list of runs', () => {
  it('is returned in pages, by workflow, tag, status and time', async () => {
    const runs: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { body } = await acme.ask('/v1/runs', { workflow: { yaml: question }, tags: ['listed', `n${count}`] });
      runs.unshift(String(body['runId']));
      await acme.ask(`/v1/runs/${body['runId']}?wait=30s`);
    }
    const listed: string[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const { body } = await acme.ask(`/v1/runs?tag=listed&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      listed.push(...(body['data'] as { runId: string }[]).map(({ runId }) => runId)); // the shape of a page
      cursor = body['nextCursor'];
    }
    expect(listed).toEqual(runs);

    await acme.ask(`/v1/runs/${runs[0]}/cancel`, {});
    const count = async (query: string) =>
      ((await acme.ask(`/v1/runs?limit=200&${query}`)).body['data'] as unknown[]).length;
    expect(await count('workflow=question&status=cancelled')).toBe(1);
    expect(await count('workflow=question&status=waiting')).toBe(4);
    expect(await count('tag=n3&workflow=question')).toBe(1);
    expect(await count('workflow=question&since=2100-01-01')).toBe(0);
    expect(await count('workflow=question&until=2100-01-01T00:00:00Z')).toBe(5);
    const foreign = await other.ask('/v1/runs?workflow=question');
    expect(foreign.body).toEqual({ data: [], nextCursor: null, looked: 0 });
  });

  it.each(['limit=201', 'limit=0', 'status=lost', 'cursor=x', 'since=yesterday', 'until=2026-13-45'])(
    'refuses %s and reports where',
    async (query) => {
      const { status, body } = await acme.ask(`/v1/runs?${query}`);
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { code: 'REQUEST_INVALID', errors: [{ pointer: `/${query.split('=')[0]}` }] },
      });
    },
  );
});

describe('a request', () => {
  it('waits for the run that it starts on request', async () => {
    const { status, body, headers } = await start({}, { prefer: 'respond-async, wait=30' });
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'completed', output: 'Hi' } });
    expect(headers.get('preference-applied')).toBe('wait=30');
  });

  it('passes its trace to the run and returns it', async () => {
    const { body, headers } = await start({}, { traceparent });
    expect(headers.get('traceparent')).toBe(traceparent);
    expect((await acme.ask(`/v1/runs/${body['runId']}`)).body).toMatchObject({ trace: traceparent });
    const [started] = await api.runtime.store.journal(`acme~${body['runId']}`, '0', 1);
    expect(started?.event).toMatchObject({ origin: { workflow: 'poem', trace: traceparent } });
    expect((await start({}, { traceparent: 'nonsense' })).body).toMatchObject({ trace: null });
  });

  it('gets 304 when nothing has changed', async () => {
    const { body } = await start({}, { prefer: 'wait=30' });
    const path = `/v1/runs/${body['runId']}`;
    const etag = (await acme.ask(path)).headers.get('etag')?.replace(/^W\//, '') ?? '';
    for (const tag of [etag, `W/${etag}`, `"1", W/"2",${etag}`, '*']) {
      expect((await acme.ask(path, undefined, { 'if-none-match': tag })).status).toBe(304);
    }
    expect((await acme.ask(path, undefined, { 'if-none-match': '"0"' })).status).toBe(200);
  });

  it.each(['', '/graph', '/density'])('does not get 304 for another run of the same id at %j', async (view) => {
    const runId = `again${view.replace('/', '-')}`;
    const path = `/v1/runs/${runId}${view}`;
    await start({ runId, input: 'first' }, { prefer: 'wait=30' });
    const { headers } = await acme.ask(path);
    const removal = { method: 'DELETE', headers: { authorization: `Bearer ${acme.key}` } };
    expect((await fetch(`${api.orchestrator.url}/v1/runs/${runId}`, removal)).status).toBe(200);
    await start({ runId, input: 'second' }, { prefer: 'wait=30' });

    const tag = headers.get('etag') ?? '';
    expect((await acme.ask(path, undefined, { 'if-none-match': tag })).status).toBe(200);
  });

  it.each([
    [{ budget: { usd: 1e303 } }, '/budget/usd', /<=1000000000/],
    [{ timeoutSeconds: 1e306 }, '/timeoutSeconds', /<=315360000/],
    [{ workflow: undefined }, '/workflow', /^is missing$/],
    [{ workflow: 7 }, '/workflow', /^must be NAME or NAME@HASH/],
    [{ inputs: 'Rain.' }, '/', /^Unrecognized key: "inputs"\. Did you mean "input"\?$/],
    [{ budget: { usdd: 1 } }, '/budget', /Did you mean "usd"\?$/],
    [{ webhook: {} }, '/webhook/url', /^must be an http or https URL$/],
    [{ webhook: { url: 'https://ann:secret@example.com' } }, '/webhook/url', /no user name or password/],
  ])('with %j is refused with the reason', async (more, pointer, detail) => {
    const { status, body } = await start(more);
    const problem = { code: 'REQUEST_INVALID', errors: [{ pointer, detail: expect.stringMatching(detail) }] };
    expect({ status, body }).toMatchObject({ status: 400, body: problem });
    expect(body['detail']).toMatch(/^The body is invalid: /);
  });

  it('gets a message about the wrong part', async () => {
    const detail = async (path: string, headers: Record<string, string> = {}) =>
      (await acme.ask(path, undefined, headers)).body['detail'];
    expect(await detail('/v1/runs/a+b')).toMatch(/^The path is invalid: /);
    expect(await detail('/v1/runs?limit=0')).toMatch(/^The query is invalid: /);
    expect(await detail('/v1/runs/x/events', { 'last-event-id': 'x' })).toMatch(/^The headers are invalid: /);
    const proto = await fetch(`${api.orchestrator.url}/v1/runs`, {
      method: 'POST',
      body: '{"__proto__":{}}',
      headers: { authorization: `Bearer ${acme.key}`, 'content-type': 'application/json' },
    });
    expect(await proto.json()).toMatchObject({ status: 400, detail: expect.stringContaining('"__proto__"') });
  });

  it('is told the place of an error in its JSON, and how to name its content type', async () => {
    const post = async (body: string, type?: string) => {
      const headers = { authorization: `Bearer ${acme.key}`, ...(type === undefined ? {} : { 'content-type': type }) };
      return (await fetch(`${api.orchestrator.url}/v1/runs`, { method: 'POST', body, headers })).json();
    };
    expect(await post('{"workflow": "po', 'application/json')).toMatchObject({
      code: 'REQUEST_INVALID',
      detail: 'The body is not valid JSON: it ends too early, at line 1, column 17.',
    });
    // What `curl -d` sends.
    expect(await post('{}', 'application/x-www-form-urlencoded')).toMatchObject({
      code: 'MEDIA_TYPE_UNKNOWN',
      detail: expect.stringMatching(/application\/x-www-form-urlencoded.*curl, --json '…' in place of -d/),
    });
  });

  it.each(['/v1/runs/%zz', `/v1/runs/${'x'.repeat(300)}`])('to %s is refused like any other', async (path) => {
    const { status, headers, body } = await acme.ask(path);
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(headers.get('x-request-id')).toBe(body['requestId']);
    expect({ status, body }).toMatchObject({ status: 400, body: { status: 400, code: 'REQUEST_INVALID' } });
  });

  it('gets headers that protect browsers, and CORS headers for listed origins only', async () => {
    const { headers } = await acme.ask('/v1/runs');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    const allowed = async (origin: string) => {
      const asked = {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      };
      const response = await fetch(`${api.orchestrator.url}/v1/runs`, { method: 'OPTIONS', headers: asked });
      return response.headers.get('access-control-allow-origin');
    };
    expect(await allowed('https://app.example')).toBe('https://app.example');
    expect(await allowed('https://evil.example')).toBeNull();
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as Signature } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { ask } from '../../support/http/http.ts';
import type { ReceivedRequest, ReceiverAnswer } from '../../support/http/webhook-receiver.ts';
import { startWebhookReceiver } from '../../support/http/webhook-receiver.ts';

const greeting = 'graph:\n  id: greeting\n  nodes:\n    - { id: A, type: literal, config: { content: hello } }\n';
const question =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';

const receiver = openBeforeAll(() =>
  startWebhookReceiver(({ path }): ReceiverAnswer | Promise<ReceiverAnswer> => {
    if (path === '/moved') return { status: 302, location: `${receiver.url}/elsewhere` };
    if (path === '/never') return new Promise(() => undefined);
    return path === '/gone' ? 410 : 200;
  }),
);
const api = openBeforeAll(() => serveApi({ webhooks: { allow: ['loopback'], delayMs: 5 } }));
const acme = openBeforeAll(() => api.tenant('acme', 'admin'));

const eventIn = ({ body }: ReceivedRequest) =>
  JSON.parse(body) as Record<string, unknown> & { data: Record<string, unknown> }; // what CloudEvents are
const started = async (body: object, by = acme.key): Promise<string> =>
  String((await api.ask(by, '/v1/runs', body)).body['runId']);
const run = (runId: string, more: object = {}) => started({ workflow: { yaml: greeting }, runId, ...more });

/** Waits until the one delivery of a run is settled, and returns it. */
async function settled(webhook: string, runId: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { body } = await acme.ask(`/v1/webhooks/${webhook}/deliveries`);
    const found = (body['data'] as Record<string, unknown>[]).find((one) => one['runId'] === runId); // the contract's
    if (found !== undefined && found['state'] !== 'pending') return found;
    await sleep(20);
  }
}

/** A webhook of acme, which is deleted again after the test. */
async function withWebhook(
  wanted: object,
  use: (webhook: { readonly id: string; readonly secret: string }) => Promise<void>,
): Promise<void> {
  const made = await acme.ask('/v1/webhooks', wanted);
  expect(made.status).toBe(201);
  const id = String(made.body['id']);
  await use({ id, secret: String(made.body['secret']) });
  const removed = await fetch(`${api.orchestrator.url}/v1/webhooks/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${acme.key}` },
  });
  expect(removed.status).toBe(200);
}

describe('a webhook', () => {
  it('receives the end of a run, in a standard form and with a standard signature', () =>
    withWebhook({ url: `${receiver.url}/all`, description: 'ours' }, async ({ id, secret }) => {
      await run('told', { tags: ['t'] });
      const [received] = await receiver.until('/all', 1);
      if (received === undefined) throw new Error('nothing was told');

      expect(new Signature(secret).verify(received.body, received.headers as Record<string, string>)).toEqual(
        eventIn(received),
      ); // of this request all are texts
      expect(received.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
      const { id: event, time, ...rest } = eventIn(received);
      expect(event).toBe(received.headers['webhook-id']);
      expect(Date.parse(String(time))).toBeLessThanOrEqual(Date.now());
      expect(rest).toEqual({
        specversion: '1.0',
        source: '/millrace/acme',
        type: 'dev.millrace.run.completed',
        subject: 'told',
        datacontenttype: 'application/json',
        data: {
          runId: 'told',
          workflow: 'greeting',
          tags: ['t'],
          status: 'completed',
          output: 'hello',
          error: null,
          stop: null,
        },
      });
      expect(await settled(id, 'told')).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
      const { body } = await acme.ask(`/v1/webhooks/${id}`);
      expect(body).toMatchObject({ id, url: `${receiver.url}/all`, events: [], description: 'ours' });
      expect(JSON.stringify(body)).not.toContain(secret);
    }));

  it('receives only its event types, of its own tenant, of runs that start after its creation', async () => {
    await run('before', { workflow: { yaml: question } });
    await withWebhook({ url: `${receiver.url}/tasks`, events: ['task.created', 'run.cancelled'] }, async () => {
      const otherKey = await api.keyOf('other', 'run', 'read');
      await started({ workflow: { yaml: question }, runId: 'theirs' }, otherKey);
      await run('done');
      await run('asks', { workflow: { yaml: question } });
      await acme.ask('/v1/runs/asks?wait=10s');
      await acme.ask('/v1/runs/before/cancel', {});
      await acme.ask('/v1/runs/asks/cancel', {});

      const received = await receiver.until('/tasks', 2);

      expect(received.map((one) => [eventIn(one)['type'], eventIn(one)['subject']])).toEqual([
        ['dev.millrace.task.created', 'asks'],
        ['dev.millrace.run.cancelled', 'asks'],
      ]);
      expect(received.map((one) => eventIn(one).data)[0]).toMatchObject({
        taskId: 'asks.a1',
        node: 'Ask',
        kind: 'human',
        prompt: 'What shall it be?',
      });
    });
  });

  it('of a single run is signed with the secret of the tenant for those', async () => {
    await run('own', { webhook: { url: `${receiver.url}/own`, events: ['run.completed'] } });
    const [received] = await receiver.until('/own', 1);
    const { body } = await acme.ask('/v1/webhooks/runs/secret');

    expect(
      () =>
        new Signature(String(body['secret'])).verify(received?.body ?? '', received?.headers as Record<string, string>), // of this request all are texts
    ).not.toThrow();
    expect(await settled('runs', 'own')).toMatchObject({ type: 'run.completed', state: 'delivered' });
  });

  it('is delivered again on request', () =>
    withWebhook({ url: `${receiver.url}/again` }, async ({ id }) => {
      await run('again');
      const delivery = await settled(id, 'again');

      const answer = await acme.ask(`/v1/webhooks/${id}/deliveries/${String(delivery['id'])}/redeliver`, {});

      expect(answer.status).toBe(202);
      const received = await receiver.until('/again', 2);
      expect(received[0]?.body).toBe(received[1]?.body);
      expect((await settled(id, 'again'))['attempts']).toHaveLength(2);
    }));

  it('receives a signed test event once, and again when it is redelivered', () =>
    withWebhook({ url: `${receiver.url}/tried`, events: ['run.failed'] }, async ({ id, secret }) => {
      const test = await acme.ask(`/v1/webhooks/${id}/test`, {});
      const did = String(test.body['id']);
      const stateOf = async () => {
        const { body } = await acme.ask(`/v1/webhooks/${id}`);
        return (body['last'] as { state: string } | null)?.state; // the contract's
      };
      await expect.poll(stateOf).toBe('delivered');
      const again = await acme.ask(`/v1/webhooks/${id}/deliveries/${did}/redeliver`, {});
      const [first, second] = await receiver.until('/tried', 2);
      if (first === undefined || second === undefined) throw new Error('nothing was told');

      expect([test.status, test.body['type'], again.status]).toEqual([202, 'webhook.test', 202]);
      expect(new Signature(secret).verify(first.body, first.headers as Record<string, string>)).toMatchObject({
        type: 'dev.millrace.webhook.test',
        data: { webhookId: id },
      });
      expect(second.body).toBe(first.body);
    }));

  it('lists its failed deliveries, which are all redelivered at once to its new address', () =>
    withWebhook({ url: `${receiver.url}/gone` }, async ({ id }) => {
      await run('refused-1');
      await run('refused-2');
      await settled(id, 'refused-1');
      await settled(id, 'refused-2');
      const listed = async (state: string) =>
        (await acme.ask(`/v1/webhooks/${id}/deliveries?state=${state}`)).body['data'] as { attempts: unknown[] }[]; // the contract's
      expect(await listed('failed')).toHaveLength(2);
      expect(await listed('delivered')).toEqual([]);
      const url = `${receiver.url}/back`;
      const changed = await fetch(`${api.orchestrator.url}/v1/webhooks/${id}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${acme.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url }),
      });
      expect(await changed.json()).toMatchObject({ id, url, events: [] });

      const { body } = await acme.ask(`/v1/webhooks/${id}/redeliver-failed`, {});

      expect(body).toEqual({ redelivered: 2 });
      await receiver.until('/back', 2);
      await expect.poll(() => listed('failed')).toEqual([]);
      await expect.poll(async () => (await listed('delivered')).map(({ attempts }) => attempts.length)).toEqual([2, 2]);
    }));

  it('that never responds delays only its own host, and neither other webhooks of its tenant nor other tenants', async () => {
    const hung = await api.keyOf('hung', 'admin');
    const brisk = await api.keyOf('brisk', 'admin');
    const other = await startWebhookReceiver(() => 200);
    const { body: never } = await api.ask(hung, '/v1/webhooks', { url: `${receiver.url}/never` });
    await Promise.all(Array.from({ length: 150 }, () => started({ workflow: { yaml: greeting } }, hung)));
    await receiver.until('/never', 8);

    await started({ workflow: { yaml: greeting }, webhook: { url: `${other.url}/own` } }, hung);
    await started({ workflow: { yaml: greeting }, webhook: { url: `${receiver.url}/brisk` } }, brisk);

    await Promise.all([other.until('/own', 1), receiver.until('/brisk', 1)]);
    expect(receiver.received.filter(({ path }) => path === '/never')).toHaveLength(8);
    const { body } = await api.ask(hung, `/v1/webhooks/${String(never['id'])}/deliveries?limit=200`);
    const log = body['data'] as { attempts: unknown[]; state: string }[]; // the contract's
    expect(log.map(({ attempts, state }) => [attempts.length, state])).toEqual(log.map(() => [0, 'pending']));
    await other.close();
  });

  it('follows no redirect, and is disabled by the status 410', () =>
    withWebhook({ url: `${receiver.url}/moved` }, async ({ id }) =>
      withWebhook({ url: `${receiver.url}/gone` }, async ({ id: gone }) => {
        await run('moved');

        expect(await settled(gone, 'moved')).toMatchObject({ state: 'failed', attempts: [{ status: 410 }] });
        const { state, attempts } = await settled(id, 'moved');
        expect({ state, tries: (attempts as unknown[]).length }).toEqual({ state: 'failed', tries: 10 }); // the contract's
        expect(receiver.received.filter(({ path }) => path === '/elsewhere')).toEqual([]);
      }),
    ));

  it('gets nothing from a server with another secret than that with which it was created', async () => {
    let secret = 'one';
    const other = await serveApi({
      webhooks: { allow: ['loopback'], delayMs: 5 },
      secret: async () => Buffer.from(secret),
    });
    const own = await other.tenant('acme', 'admin');
    const hook = String((await own.ask('/v1/webhooks', { url: `${receiver.url}/sealed` })).body['id']);
    secret = 'two';

    await own.start(greeting);

    const deliveries = async () => (await own.ask(`/v1/webhooks/${hook}/deliveries`)).body['data'];
    await expect
      .poll(deliveries)
      .toMatchObject([
        { state: 'failed', attempts: [{ error: expect.stringContaining('MILLRACE_SECRET') }, ...Array(9).fill({})] },
      ]);
    expect(receiver.received.filter(({ path }) => path === '/sealed')).toEqual([]);
    await other.close();
  });

  it('is delivered completely although a server stops during the delivery', async () => {
    const slow = await startWebhookReceiver((_told, nth) => (nth === 1 ? new Promise(() => undefined) : 200));
    const stopped = await serveApi({ webhooks: { allow: ['loopback'], delayMs: 5 } });
    const own = await stopped.keyOf('acme', 'admin');
    const wanted = { workflow: { yaml: greeting }, runId: 'told', webhook: { url: `${slow.url}/` } };
    await stopped.ask(own, '/v1/runs', wanted);
    await slow.until('/', 1);
    const other = await stopped.another();
    await stopped.orchestrator.close();
    await slow.until('/', 2);

    let log: Record<string, unknown>[] = [];
    while (log[0]?.['state'] !== 'delivered') {
      const { body } = await ask(`${other.url}/v1/webhooks/runs/deliveries`, undefined, {
        authorization: `Bearer ${own}`,
      });
      log = body['data'] as Record<string, unknown>[]; // the contract's
    }
    expect(log).toMatchObject([{ attempts: [{ status: 200 }] }]);
    await stopped.close();
    await slow.close();
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://10.0.0.1/',
    'http://[fd00::1]/',
    'ftp://example.com',
    'https://ann:secret@example.com/',
    'https://ann@example.com/',
    'nowhere',
  ])('is refused at %s', async (url) => {
    const made = await acme.ask('/v1/webhooks', { url });
    const begun = await acme.ask('/v1/runs', {
      workflow: { yaml: greeting },
      runId: 'refused',
      webhook: { url },
    });

    expect([made.status, begun.status]).toEqual(url.startsWith('http:') ? [422, 422] : [400, 400]);
    expect((await acme.ask('/v1/runs/refused')).status).toBe(404);
  });

  it('is visible to its tenant only', () =>
    withWebhook({ url: `${receiver.url}/quiet` }, async ({ id }) => {
      const otherKey = await api.keyOf('other', 'admin');

      expect((await api.ask(otherKey, `/v1/webhooks/${id}`)).status).toBe(404);
      expect((await api.ask(otherKey, `/v1/webhooks/${id}/deliveries`)).status).toBe(404);
      expect((await api.ask(otherKey, '/v1/webhooks')).body).toEqual({ data: [] });
      const { body: theirs } = await api.ask(otherKey, '/v1/webhooks/runs/secret');
      const { body: ours } = await acme.ask('/v1/webhooks/runs/secret');
      expect(theirs['secret']).not.toBe(ours['secret']);
    }));
});

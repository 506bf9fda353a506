import { beforeAll, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import type { Tenant } from '../../support/http/api.ts';
import { serveApi } from '../../support/http/api.ts';

const hook = 'https://hooks.example.com/services/t0k3n';
const secret = 's3cr3t words';

/** A node that says something, and a person who is asked about it. */
const asking = `graph:
  id: asking
  nodes:
    - { id: Say, type: literal, config: { content: ${secret} } }
    - { id: Ask, type: human, config: { description: What of it? } }
  edges: [{ from: Say, to: Ask }]
`;
const saying = `graph:\n  id: saying\n  nodes: [{ id: Say, type: literal, config: { content: ${secret} } }]\n`;

const api = openBeforeAll(serveApi);
const admin = openBeforeAll(() => api.tenant('acme', 'admin'));
const reader = openBeforeAll(() => api.tenant('acme', 'read'));

describe('a key with the scopes run and answer', () => {
  const worker = openBeforeAll(() => api.tenant('acme', 'run', 'answer'));
  let [said, asked] = ['', ''];
  beforeAll(async () => {
    said = await admin.start(saying);
    asked = await admin.start(asking);
  });

  /** Sends requests, and returns their answers as one text; each must have been accepted. */
  async function answersTo(
    requests: readonly (readonly [path: string, body: object, headers?: Record<string, string>])[],
  ) {
    const texts: string[] = [];
    for (const [path, body, headers] of requests) {
      const answer = await worker.ask(path, body, headers);
      expect([path, answer.status], JSON.stringify(answer.body)).toEqual([path, expect.toBeOneOf([200, 201, 202])]);
      texts.push(JSON.stringify(answer.body));
    }
    return texts.join('\n');
  }

  it('gets no outputs and no questions in any response', async () => {
    const task = `/v1/tasks/${asked}.a2`;

    const answers = await answersTo([
      ['/v1/runs', { workflow: { yaml: saying }, runId: said }],
      ['/v1/runs', { workflow: { yaml: saying }, runId: said }, { prefer: 'wait=5' }],
      ['/v1/runs', { workflow: { yaml: saying }, input: 'x' }, { prefer: 'wait=5' }],
      [`/v1/runs/${said}/replay`, {}],
      [`/v1/runs/${said}/fork`, { at: 'a1' }],
      [`/v1/runs/${said}/resume`, { input: 'Again.' }],
      [`${task}/claim`, { assignee: 'ann' }],
      [`${task}/release`, { assignee: 'ann' }],
      [`/v1/runs/${asked}/pause`, {}],
      [`/v1/runs/${asked}/resume`, {}],
      [`/v1/runs/${asked}/cancel`, {}],
      ['/v1/schedules', { id: 'daily', cron: '@daily', run: { workflow: { yaml: asking } } }],
      ['/v1/schedules/daily/trigger', {}],
    ]);

    // The workflow of the schedule is its own.
    expect(answers.replaceAll(JSON.stringify(asking).slice(1, -1), '')).not.toContain(secret);
  });

  it('gets no stored response to the request of a key that may read', async () => {
    const request = { workflow: { yaml: saying }, input: 'x' };
    const headers = { prefer: 'wait=20', 'idempotency-key': 'the-same' };
    expect((await admin.ask('/v1/runs', request, headers)).body['output']).toBe(secret);

    const repeated = await worker.ask('/v1/runs', request, headers);

    expect([repeated.status, repeated.body['code']]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
  });
});

describe('a key with the scope read', () => {
  const urlsOf = async ({ ask }: Pick<Tenant, 'ask'>, id: string, run: string) => ({
    webhook: (await ask(`/v1/webhooks/${id}`)).body['url'],
    all: JSON.stringify([
      (await ask('/v1/webhooks')).body,
      (await ask('/v1/schedules/hooked')).body,
      (await ask('/v1/schedules')).body,
      (await ask(`/v1/runs/${run}/events`, undefined, { accept: 'application/json' })).body,
      (await ask(`/v1/runs/${run}`)).body,
    ]),
  });

  it('sees no credentials in addresses of webhooks, which those who may change them see', async () => {
    const { id } = (await admin.ask('/v1/webhooks', { url: hook })).body;
    const run = { workflow: { yaml: saying }, webhook: { url: hook } };
    await admin.ask('/v1/schedules', { id: 'hooked', cron: '@daily', run });
    const hooked = String((await admin.ask('/v1/runs', run)).body['runId']);

    const [seen, known] = [await urlsOf(reader, String(id), hooked), await urlsOf(admin, String(id), hooked)];

    expect(seen.webhook).toBe('https://hooks.example.com/…');
    expect(seen.all).not.toContain('t0k3n');
    expect(known.webhook).toBe(hook);
    expect(known.all).toContain(hook);
  });
});

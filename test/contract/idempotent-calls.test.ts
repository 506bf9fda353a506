import { createVocabulary } from '@millrace/catalog';
import type { Client } from '@millrace/client';
import { createHttpClient } from '@millrace/client';
import { createLocalClient } from '@millrace/orchestrator/local';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../support/fixtures.ts';
import { serveApi } from '../support/http/api.ts';

/* An idempotency key is obeyed by all transports of the client alike: they share the records of an installation. */

const yaml = 'graph:\n  id: greeting\n  nodes:\n    - { id: A, type: passthrough, config: {} }\n';
const input = { workflow: { yaml }, input: 'Hi.', tags: ['once'] };

const api = openBeforeAll(serveApi);
let here: Client;
let overHttp: Client;

beforeAll(async () => {
  const { runtime, orchestrator } = api;
  const secret = async () => Buffer.from('of a test');
  here = createLocalClient({ runtime, vocabulary: createVocabulary(), tenant: 'default', secret });
  overHttp = createHttpClient({ url: orchestrator.url, apiKey: await api.keyOf('default', 'admin') });
});

describe('a call with an idempotency key', () => {
  it.each([
    ['in this process, then again there', () => [here, here] as const],
    ['in this process, then over HTTP', () => [here, overHttp] as const],
    ['over HTTP, then in this process', () => [overHttp, here] as const],
  ] as const)('is executed once: %s', async (idempotencyKey, clients) => {
    const [first, second] = clients();

    const { runId } = await first.call('runs.start', input, { idempotencyKey: key(idempotencyKey) });

    expect(await second.call('runs.start', input, { idempotencyKey: key(idempotencyKey) })).toMatchObject({ runId });
  });

  it('is refused for another request, also over another transport', async () => {
    await overHttp.call('runs.start', input, { idempotencyKey: 'mine' });

    const other = here.call('runs.start', { ...input, input: 'Ho.' }, { idempotencyKey: 'mine' });
    await expect(other).rejects.toMatchObject({ status: 422, code: 'IDEMPOTENCY_MISMATCH' });
  });

  it('is refused again as it was the first time', async () => {
    const refused = () => here.call('runs.pause', { id: 'later' }, { idempotencyKey: 'pause' });
    await expect(refused()).rejects.toMatchObject({ status: 404, code: 'RUN_UNKNOWN' });
    await here.call('runs.start', { ...input, runId: 'later' });

    await expect(refused()).rejects.toMatchObject({ status: 404, code: 'RUN_UNKNOWN' });
    await expect(overHttp.call('runs.pause', { id: 'later' }, { idempotencyKey: 'pause' })).rejects.toMatchObject({
      code: 'RUN_UNKNOWN',
    });
  });

  it('is refused where the response must not be stored, or the key is malformed', async () => {
    const made = here.call('keys.create', { scopes: ['read'] }, { idempotencyKey: 'key' });
    await expect(made).rejects.toMatchObject({ code: 'IDEMPOTENCY_UNSUPPORTED' });
    const started = here.call('runs.start', input, { idempotencyKey: 'two words' });
    await expect(started).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_INVALID' });
  });
});

const key = (title: string): string => title.replaceAll(/\W+/g, '-');

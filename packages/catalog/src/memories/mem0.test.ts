import { afterEach, describe, expect, it } from 'vitest';
import { fakeMemoryAccess } from '../../../../test/support/fakes/fake-memory-access.ts';
import type { JsonResponse, JsonServer, ReceivedRequest } from '../../../../test/support/http/json-server.ts';
import { startJsonServer } from '../../../../test/support/http/json-server.ts';
import { mem0 } from './mem0.ts';

let server: JsonServer | undefined;
afterEach(() => server?.close());

async function serving(answer: (request: ReceivedRequest) => JsonResponse, more: Record<string, unknown> = {}) {
  server = await startJsonServer(answer);
  const config = mem0.config.parse({ api_key: '${KEY}', base_url: `${server.url}/`, ...more });
  return { config, requests: server.requests };
}

const access = (compat = false) =>
  fakeMemoryAccess({ compat, resolveSecrets: (text) => text.replace('${KEY}', 'canary-key'), now: () => 5 });
const query = { text: 'tea?', role: 'Writer', topK: 2 };
const input = '=== INPUT FROM TASK (user) ===\n\nI like tea.';

describe('mem0', () => {
  it.each([
    [{ memories: [{ memory: 'likes tea', score: 0.9, id: 'x' }] }],
    [{ results: [{ memory: 'likes tea' }] }],
    [[{ memory: 'likes tea', score: null }]],
  ])('searches, and accepts each form of the response: %j', async (body) => {
    const { config, requests } = await serving(() => ({ body }), { user_id: 'u', agent_id: 'a', org_id: 'o' });
    const found = await mem0.recall(config, { ...query, threshold: 0.3 }, access());
    expect(found).toEqual([{ text: 'likes tea', at: 5 }]);
    expect(requests).toMatchObject([
      {
        path: '/v2/memories/search/',
        headers: { authorization: 'Token canary-key' },
        body: {
          query: 'tea?',
          top_k: 2,
          threshold: 0.3,
          filters: { OR: [{ user_id: 'u' }, { agent_id: 'a' }] },
          org_id: 'o',
        },
      },
    ]);
  });

  it('uses the role when no user is named, and sends no threshold below 0', async () => {
    const { config, requests } = await serving(() => ({ body: [] }));
    await mem0.recall(config, { ...query, threshold: -1 }, access());
    await mem0.recall(config, { ...query, text: ' ' }, access());
    expect(requests.map(({ body }) => body)).toEqual([{ query: 'tea?', top_k: 2, filters: { agent_id: 'Writer' } }]);
  });

  it('sends messages to the service and stores nothing locally', async () => {
    const { config, requests } = await serving(() => ({ body: { results: [] } }), { user_id: 'u' });
    expect(await mem0.remember?.(config, { role: 'W', input, output: 'Noted.' }, access())).toEqual([]);
    await mem0.remember?.(config, { role: 'W', input, output: 'No, coffee.', whole: true }, access());
    expect(requests).toMatchObject([
      { path: '/v1/memories/', body: { user_id: 'u', messages: [{ role: 'user', content: 'I like tea.' }] } },
      { body: { messages: [{ role: 'user', content: 'No, coffee.' }] } },
    ]);
  });

  it.each([
    [{ status: 401, body: 'canary-key is wrong' }, false, /refused the API key \(401\)/],
    [{ status: 503, body: '' }, true, /\(503\)/],
    [{ body: 'hello' }, false, /not JSON/],
    [{ body: { answer: 42 } }, false, /not a list of memories/],
  ])('reports the failure %j without the key', async (answer, transient, words) => {
    const { config } = await serving(() => answer);
    const failure: unknown = await mem0.recall(config, query, access()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'MEMORY_SERVICE_FAILED', transient, message: expect.stringMatching(words) });
    expect(String(failure)).not.toContain('canary');
  });

  it.each([
    [`{"memories":["${'x'.repeat(17_000_000)}"]}`, /its reply is larger than 16 MiB/],
    [`[${'{},'.repeat(100_000)}{}]`, /its reply has more than 100,000 values/],
  ])('refuses a reply beyond the limits', async (body, words) => {
    const { config } = await serving(() => ({ body }));
    await expect(mem0.recall(config, query, access())).rejects.toMatchObject({
      code: 'MEMORY_SERVICE_FAILED',
      message: expect.stringMatching(words),
    });
  });

  it('continues without memories in compatibility mode', async () => {
    const { config } = await serving(() => ({ status: 500, body: '' }));
    expect(await mem0.recall(config, query, access(true))).toEqual([]);
    expect(await mem0.remember?.(config, { role: 'W', input, output: 'x' }, access(true))).toEqual([]);
  });

  it('reports that the service cannot be reached', async () => {
    const config = mem0.config.parse({ api_key: 'k', base_url: 'http://127.0.0.1:9' });
    await expect(mem0.recall(config, query, access())).rejects.toMatchObject({
      code: 'MEMORY_SERVICE_FAILED',
      transient: true,
    });
  });
});

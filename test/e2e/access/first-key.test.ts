import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const api = openBeforeAll(() => serveApi());

it('requires a key on every server from the answer with the first one on', async () => {
  const urls = [api.orchestrator.url, (await api.another()).url];
  const statuses = (headers: Record<string, string> = {}) =>
    Promise.all(urls.map(async (url) => (await fetch(`${url}/v1/runs`, { headers })).status));
  // Each has just served somebody without a key.
  expect(await statuses()).toEqual([200, 200]);

  const made = await fetch(`${urls[0]}/v1/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ scopes: ['admin'] }),
  });
  const { key } = (await made.json()) as { readonly key: string };

  expect(await statuses()).toEqual([401, 401]);
  expect(await statuses({ authorization: `Bearer ${key}` })).toEqual([200, 200]);
});

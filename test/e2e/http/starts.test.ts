import { expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { ask } from '../../support/http/http.ts';

const poem = 'graph:\n  id: poem\n  nodes: [{ id: A, type: literal, config: { content: roses } }]\n';

const api = openBeforeAll(serveApi);

it('starts one run for 200 concurrent requests with its id, and reports which of them started it', async () => {
  const headers = { authorization: `Bearer ${await api.keyOf('acme', 'run')}` };
  const urls = [api.orchestrator.url, (await api.another()).url];
  const body = { workflow: { yaml: poem }, runId: 'the-one' };

  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => ask(`${urls[n % 2]}/v1/runs`, body, headers)),
  );

  const statuses = answers.map(({ status }) => status).sort((a, b) => b - a);
  expect(statuses).toEqual([201, ...Array.from({ length: 199 }, () => 200)]);
  expect(new Set(answers.map(({ body: { runId } }) => runId))).toEqual(new Set(['the-one']));
});

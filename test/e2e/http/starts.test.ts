import { connect, createTenantRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { createKeys } from '../../../packages/runtime/src/adapters/redis/location/keys.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { ask } from '../../support/http/http.ts';
import { waitUntil } from '../../support/waiting.ts';

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

it('accepts 200 starts at once of a published workflow of 60 KB', async () => {
  const nodes = Array.from(
    { length: 300 },
    (_, n) => `    - {id: N${n}, type: literal, config: {content: "${'text '.repeat(30)}"}}`,
  );
  const yaml = `graph:\n  id: large\n  start: [N0]\n  end: [N0]\n  nodes:\n${nodes.join('\n')}\n`;
  await createTenantRuntime(api.runtime, 'acme').workflows.publish('large', { yaml, by: 'test' });
  const headers = { authorization: `Bearer ${await api.keyOf('acme', 'run')}` };

  const answers = await Promise.all(
    Array.from({ length: 200 }, () => ask(`${api.orchestrator.url}/v1/runs`, { workflow: 'large' }, headers)),
  );

  expect(yaml.length).toBeGreaterThan(60_000);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
});

it('describes a run that it has just started without reading it back', async () => {
  const headers = { authorization: `Bearer ${await api.keyOf('acme', 'run', 'read')}` };
  const starts = 10;
  const connection = connect(api.redis.where.redisUrl, 'test');
  const journalReads = async () =>
    Number(/cmdstat_xrange:calls=(\d+)/.exec(await connection.info('commandstats'))?.[1] ?? 0);
  const before = await journalReads();

  const answers = [];
  for (let n = 0; n < starts; n++) {
    answers.push(await ask(`${api.orchestrator.url}/v1/runs`, { workflow: { yaml: poem }, input: `${n}` }, headers));
  }

  const read = (await journalReads()) - before;
  connection.disconnect();
  expect(answers.map(({ status }) => status)).toEqual(Array(starts).fill(201));
  // The background may read a journal now and then.
  expect(read).toBeLessThan(starts / 2);
});

it('answers 503 when the run is lost before its state is read, so that clients start it again', async () => {
  const delay = 'graph:\n  id: slow\n  nodes: [{ id: A, type: delay, config: { for: 1h } }]\n';
  const headers = { authorization: `Bearer ${await api.keyOf('acme', 'run', 'read')}`, prefer: 'wait=60' };
  const body = { workflow: { yaml: delay }, runId: 'lost' };
  const starting = ask(`${api.orchestrator.url}/v1/runs`, body, headers);
  await waitUntil(async () => (await api.runtime.runs.describe('acme~lost'))?.status === 'running');

  const connection = connect(api.redis.where.redisUrl, 'test');
  const { run, summaries } = createKeys(api.redis.where.prefix);
  await connection.hdel(summaries, 'acme~lost');
  await connection.del(run('acme~lost').state, run('acme~lost').journal, run('acme~lost').messages);
  connection.disconnect();

  expect(await starting).toMatchObject({ status: 503, body: { code: 'RUN_LOST' } });
});

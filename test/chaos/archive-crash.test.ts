import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import { connect, openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../support/fixtures.ts';
import { startWorkerProcess } from '../support/processes/worker-process.ts';
import { startRedis } from '../support/redis/redis.ts';
import { openRedisProxy } from '../support/redis/redis-proxy.ts';
import { audit, journalOf } from '../support/runs/audit.ts';
import { turning } from '../support/runs/turning.ts';
import { untilEnded } from '../support/runs/watching.ts';

const vocabulary = createVocabulary();

const redis = openBeforeAll(startRedis);
const directory = directoryBeforeAll();

it('loses nothing of a journal when its worker is killed between archiving and trimming', async () => {
  const blobs = join(directory, 'blobs');
  const variables = { MILLRACE_DIR: directory, MILLRACE_BLOBS: `dir:${blobs}`, MILLRACE_JOURNAL_WINDOW: '200' };
  const place = { type: 'directory', path: blobs } as const;
  const runtime = await openRuntime({ redisUrl: redis.url, blobs: place }, vocabulary, () => undefined);
  const connection = connect(redis.url, 'test');
  const proxy = await openRedisProxy(redis.url);
  const trims = proxy.endBefore('XTRIM');
  const first = await startWorkerProcess(proxy.url, variables);
  const run = await runtime.runs.start({ workflow: turning(150, vocabulary), input: 'go' });
  await trims;
  await first.kill();
  await proxy.close();

  const archived = (await journalOf(runtime.store, run)).filter(({ event }) => event.type === 'journal.archived');
  expect(archived).toHaveLength(1);
  const [[oldest] = ['']] = await connection.xrange(`{millrace}:run:${run}:journal`, '-', '+', 'COUNT', 1);
  expect(oldest).toBe('1-0');

  const second = await startWorkerProcess(redis.url, variables);
  await untilEnded(runtime.runs, run);

  expect(await runtime.runs.describe(run)).toMatchObject({ status: 'completed' });
  expect(await audit(runtime.store, run, vocabulary)).toEqual([]);
  const [[trimmed] = ['']] = await connection.xrange(`{millrace}:run:${run}:journal`, '-', '+', 'COUNT', 1);
  expect(trimmed).not.toBe('1-0');
  const bodies = (await journalOf(runtime.store, run)).reduce((sum, { event }) => sum + (event.bodies ?? 0), 0);
  const ids = Array.from({ length: bodies }, (_, at) => `m${at + 1}` as const);
  expect(await runtime.store.bodies(run, ids)).toHaveLength(bodies);
  await second.kill();
  connection.disconnect();
  await runtime.close();
});

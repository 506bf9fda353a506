import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import { openRuntime } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { freePort } from '../../support/redis/free-port.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { tellRedis } from '../../support/redis/tell-redis.ts';
import { workflowOf } from '../../support/runs/scenario.ts';
import { chain } from '../../support/runs/scenarios.ts';

const vocabulary = createVocabulary();

it('refuses starts that no replica confirms, which are found when they are repeated with a replica', async ({
  onTestFinished,
}) => {
  const port = await freePort();
  const sync = ['--repl-diskless-sync-delay', '0'];
  const master = await startRedis(['--port', String(port), '--bind', '127.0.0.1', ...sync]);
  onTestFinished(() => master.stop());
  const replica = await startRedis(sync);
  onTestFinished(() => replica.stop());
  const { runs, close } = await openRuntime({ redisUrl: master.url, replicas: 1 }, vocabulary, () => undefined);
  onTestFinished(() => close());
  const workflow = workflowOf(chain, vocabulary);
  const ids = Array.from({ length: 20 }, (_, n) => `run_${n}`);
  const startAll = () => Promise.allSettled(ids.map((run) => runs.start({ workflow, input: 'Go.', run })));

  const began = performance.now();
  const refused = await startAll();
  const refusedMs = performance.now() - began;
  const stored = await Promise.all(ids.map((run) => runs.describe(run)));
  await tellRedis(replica.url, 'REPLICAOF', '127.0.0.1', port);
  while (!String(await tellRedis(master.url, 'INFO', 'replication')).includes('state=online')) await sleep(20);
  const repeated = await startAll();
  const fresh = await runs.start({ workflow, input: 'Go.' });

  for (const outcome of refused) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'REDIS_NO_REPLICAS' } });
  }
  // Those that come together share a wait of a second.
  expect(refusedMs).toBeLessThan(6000);
  expect(stored).not.toContain(undefined);
  expect(repeated.map(({ status }) => status)).toEqual(ids.map(() => 'fulfilled'));
  expect(await tellRedis(replica.url, 'EXISTS', `{millrace}:run:${fresh}:records`)).toBe(1);
});

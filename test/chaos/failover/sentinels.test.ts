import { expect, it } from 'vitest';
import { startFailoverLoad } from '../../support/faults/failover-load.ts';
import { startWatchedRedis } from '../../support/redis/redis-sentinels.ts';

it('loses nothing acknowledged when the master is killed, and continues within ten seconds', async ({
  onTestFinished,
}) => {
  const redis = await startWatchedRedis({ replicas: 2 });
  onTestFinished(() => redis.stop());
  const load = await startFailoverLoad({ redisUrl: redis.url, replicas: 1 });
  onTestFinished(() => load.close());
  await load.untilStarted(50);

  await redis.servers[0]?.server.kill();
  const recoveredMs = await load.untilStarted(50);
  const outcome = await load.finish();

  expect(recoveredMs).toBeLessThan(10_000);
  expect(outcome).toMatchObject({ lost: [], stuck: [], wrong: [], violations: [] });
  expect(outcome.attended).toBeGreaterThan(3);
  expect(await redis.masterPort()).not.toBe(redis.servers[0]?.port);
  expect(outcome.lines.length).toBeLessThan(20);
  expect(outcome.lines.join('\n')).toContain('Redis is back after');
});

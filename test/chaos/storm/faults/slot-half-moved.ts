import { startFailoverLoad } from '../../../support/faults/failover-load.ts';
import type { RedisCluster } from '../../../support/redis/redis-cluster.ts';
import { startRedisCluster } from '../../../support/redis/redis-cluster.ts';
import type { FaultDefinition } from '../fault.ts';

/** Number of starts before the move, and after its repair. */
const starts = 20;

let cluster: Promise<RedisCluster> | undefined;

/**
 * A move of the slot is interrupted, and its owner made stable with some of the keys. The Redis of the storm is no cluster, so this one has
 * a cluster, runs and a worker of its own, beside all else.
 */
export const slotHalfMoved: FaultDefinition = {
  times: 1,
  async inject({ chance, broken, note, atEnd }) {
    if (cluster === undefined) {
      cluster = startRedisCluster();
      atEnd(async () => {
        const started = await cluster;
        cluster = undefined;
        await started?.stop();
      });
    }
    const { halfMoveSlot, ownerOf, nodes } = await cluster;
    const prefix = `{half-moved-${chance.below(1_000_000)}}`;
    const load = await startFailoverLoad({ redisUrl: (await cluster).url, prefix }, { starters: 1, attendants: 2 });
    try {
      await load.untilStarted(starts);
      const owner = await ownerOf(`${prefix}:probe`);
      const to = nodes.find(({ id }) => id !== owner.id);
      if (to === undefined) throw new Error('A cluster has several masters.');
      const half = await halfMoveSlot(`${prefix}:probe`, to, () => chance.below(2) === 0);
      await load.untilReported(/REDIS_KEYS_MISSING/);
      await half.finish();
      await load.untilStarted(starts);
      const { lost, stuck, wrong, violations } = await load.finish();
      for (const run of lost) broken.push(`${run} was lost with half of a slot`);
      for (const run of stuck) broken.push(`${run} has not ended after half of a slot was moved`);
      for (const result of wrong) broken.push(`a run came to ${String(result)} after half of a slot was moved`);
      for (const { code, subject, message } of violations) broken.push(`${code} ${subject}: ${message}`);
      note('slotHalfMoved');
    } finally {
      await load.close();
    }
  },
};

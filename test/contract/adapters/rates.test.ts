import { randomUUID } from 'node:crypto';
import { connect, createLocalRates, createRedisRates, createShard, onward } from '@millrace/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newInstallation } from '../../support/redis/installation.ts';
import { ratesContract } from '../rates.ts';

const installation = newInstallation();
const connections: ReturnType<typeof connect>[] = [];
beforeAll(async () => {
  connections.push(connect(installation.url, 'one'), connect(installation.url, 'two'));
});
afterAll(async () => {
  for (const connection of connections) connection.disconnect();
});

ratesContract('in Redis', async () => {
  const prefix = installation.prefix.replace('}', `-${randomUUID()}}`);
  const [one, two] = connections;
  if (one === undefined || two === undefined) throw new Error('there are no connections');
  const shard = createShard(one, prefix);
  return {
    rates: createRedisRates(shard),
    other: createRedisRates(createShard(two, prefix)),
    // All times that are stored are earlier by then.
    async moveClock(model, ms) {
      const line = shard.keys.rate(model);
      for (const field of ['seen', 'last', 'paused'])
        if ((await one.hexists(line, field)) === 1) await one.hincrby(line, field, -ms);
      for (const waiting of await one.zrange(`${line}:waiting`, '0', '-1'))
        await one.zincrby(`${line}:waiting`, -ms, waiting);
      for (const entry of await one.zrange(`${line}:log`, '0', '-1')) {
        const [slot, ...rest] = entry.split('|');
        const at = Number(slot) - ms;
        await one.zrem(`${line}:log`, entry);
        await one.zadd(`${line}:log`, String(at), [at, ...rest].join('|'));
      }
    },
  };
});

ratesContract('in this process', async () => {
  let aheadMs = 0;
  const rates = createLocalRates(onward(() => Date.now() + aheadMs));
  return {
    rates,
    other: rates,
    async moveClock(_, ms) {
      aheadMs += ms;
    },
  };
});

it('forgets a model in this process an hour after its last use', async () => {
  let now = 0;
  const rates = createLocalRates(() => now);
  await rates.learn('m', { requestsPerMinute: 1 });
  const ask = async (who: string) => (await rates.acquire('m', { who, tokens: 1 })).type;
  expect([await ask('a'), await ask('b')]).toEqual(['go', 'wait']);

  now += 3_700_000;
  await rates.acquire('another', { who: 'c', tokens: 1 });

  expect([await ask('d'), await ask('e')]).toEqual(['go', 'go']);
});

import { randomUUID } from 'node:crypto';
import { connect, createLocalRates, createRedisRates, createShard } from '@millrace/runtime';
import { afterAll, beforeAll } from 'vitest';
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
  return { rates: createRedisRates(createShard(one, prefix)), other: createRedisRates(createShard(two, prefix)) };
});

ratesContract('in this process', async () => {
  const rates = createLocalRates(Date.now);
  return { rates, other: rates };
});

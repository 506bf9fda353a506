import { setImmediate as turn } from 'node:timers/promises';
import { connect, createRedisStore, createShard } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { append, commitAt, run, set } from '../../contract/store/store-harness.ts';
import { newInstallation } from '../../support/redis/installation.ts';

const installation = newInstallation();

it('lets others have their turns while it puts a large run together', async () => {
  const connection = connect(installation.url, 'test');
  const store = createRedisStore({ shard: createShard(connection, installation.prefix) });
  const units = Array.from({ length: 20_000 }, (_, unit) => ({ id: `m${unit}`, role: 'user', source: 'Line' }));
  const results = units.map((output, unit) => set(`result/s1/${unit}`, { outputs: [output], routes: [] }));
  await store.commit(commitAt(0, { writes: [append('units/s1', ...units), ...results] }));
  let turns = 0;
  let isLoaded = false;
  const begin = connection.multi.bind(connection);
  Reflect.set(connection, 'multi', () => {
    const transaction = begin();
    const exec = transaction.exec.bind(transaction);
    // Counts the turns after the last reply.
    transaction.exec = () => exec().finally(() => (turns = 0));
    return transaction;
  });
  const counting = (async () => {
    for (; !isLoaded; turns++) await turn();
  })();

  const loaded = await store.load(run);
  isLoaded = true;
  await counting;

  expect(loaded?.state.records.size).toBe(units.length);
  expect(loaded?.state.list('units/s1')).toEqual(units);
  expect(turns).toBeGreaterThanOrEqual(3);
  await store.close();
  connection.disconnect();
});

import { connect, createRedisStore, createShard } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { commitAt, run } from '../../contract/store/store-harness.ts';
import { newInstallation } from '../../support/redis/installation.ts';

const installation = newInstallation();

it('delivers an entry again that a reader took and did not acknowledge', async () => {
  const connection = connect(installation.url, 'test');
  const { prefix } = installation;
  const first = createRedisStore({ shard: createShard(connection, prefix), forgottenMs: 0 });
  const second = createRedisStore({ shard: createShard(connection, prefix), forgottenMs: 0 });
  await first.commit({ ...commitAt(0), outboxEntries: ['1-0'] });
  const [lost] = await first.outbox.take(AbortSignal.timeout(60_000));
  await first.close();

  const [found] = await second.outbox.take(AbortSignal.timeout(60_000));

  expect(found).toEqual(lost);
  expect(found).toMatchObject({ run, entry: '1-0' });
  await second.outbox.done([found?.id ?? '']);
  expect(await second.outbox.take(AbortSignal.timeout(200))).toEqual([]);
  await second.close();
  connection.disconnect();
});

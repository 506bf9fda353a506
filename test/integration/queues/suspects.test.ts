import type { Wake } from '@millrace/core';
import { connect, createBullQueue, createShard } from '@millrace/runtime';
import { expect, it, onTestFinished, vi } from 'vitest';
import { jobId } from '../../../packages/runtime/src/adapters/redis/location/keys.ts';
import { openBeforeAll } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { waitUntil } from '../../support/waiting.ts';

const { url, prefix } = newInstallation();
const shard = createShard(
  openBeforeAll(() => connect(url, 'test')),
  prefix,
);

/** By a clock that nobody sets, as that of Redis is here. */
const now = (): number => Math.floor(performance.timeOrigin + performance.now());

const wakes: readonly Wake[] = ['a1', 'a2'].map((activation) => ({
  run: 'r',
  activation: activation as 'a1',
  token: 't',
}));

it('are offered again after a second by the clock of Redis, whatever the clock of the worker says that died over one', async () => {
  const { connection, keys } = shard;
  const open = () => {
    const queue = createBullQueue({ shard, now, onError: () => undefined });
    onTestFinished(() => queue.close());
    return queue;
  };
  const ahead = open();
  await ahead.wake(wakes);
  // A worker has died over both.
  for (const wake of wakes) await connection.hset(`${keys.home}:jobs:${jobId(wake)}`, 'stc', '1');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const begun: string[] = [];
  ahead.consume(
    (wake, signal) => {
      begun.push(wake.activation);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    },
    { concurrency: 2, name: 'ahead' },
  );
  await waitUntil(async () => (await connection.zcard(`${keys.home}:jobs:delayed`)) === 1);
  vi.useRealTimers();
  await ahead.close();
  expect(begun).toHaveLength(1);

  const done = new Set<string>();
  open().consume(async ({ activation }) => void done.add(activation), { concurrency: 2, name: 'right' });
  await waitUntil(() => done.size === 2);
});

import { expect, it } from 'vitest';
import { cpuMs } from '../../../../test/support/cpu-ms.ts';
import { ThreadPool, ThreadsBusy } from './thread-pool.ts';

/** A thread that returns its number, and is spent after the task `last`; it takes no task `forever`. */
const module = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', (task) => {
      if (task === 'fault') parentPort.postMessage({ type: 'failed', message: 'a fault' });
      else if (task !== 'forever') parentPort.postMessage({ type: 'done', result: threadId, isSpent: task === 'last' });
    });
    parentPort.postMessage({ type: 'ready' });
  `)}`,
);

const open = (size: number, timeoutMs = 60_000) =>
  new ThreadPool<unknown, number>({ module, size, timeoutMs, heapMb: 64 });

it('keeps a thread, and ends it when it is spent or has failed', async () => {
  const pool = open(1);
  const first = await pool.run('task');
  const kept = await pool.run('last');
  const second = await pool.run('task');
  await expect(pool.run('fault')).rejects.toThrow('a fault');
  const third = await pool.run('task');
  await pool.close();

  expect(kept).toBe(first);
  expect(new Set([first, second, third]).size).toBe(3);
});

it('fails only the task that cannot be copied', async () => {
  const pool = open(1);
  const uncopied = [pool.run(() => 1), pool.run(() => 2)];
  const next = pool.run('task');

  expect((await Promise.allSettled(uncopied)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await next).toBe(await pool.run('task'));
  await pool.close();
});

it('serves owners in turn, each in the order of its tasks', async () => {
  const pool = open(1);
  const order: string[] = [];
  const run = (owner: string, at: number) => pool.run('task', { owner }).then(() => order.push(`${owner}${at}`));
  await Promise.all([run('a', 1), run('a', 2), run('a', 3), run('b', 1), run('c', 1), run('b', 2)]);
  await pool.close();

  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

it('refuses tasks of an owner that has as many waiting as may be', async () => {
  const pool = open(1);
  const tasks = [1, 2, 3].map(() => pool.run('forever', { owner: 'a', maxQueued: 1 }).catch((error: unknown) => error));
  expect(await tasks[2]).toBeInstanceOf(ThreadsBusy);
  await pool.close();
});

it('takes no longer for a task when many wait', async () => {
  const pool = open(1);
  await pool.run('task');
  const tasks: Promise<unknown>[] = [];

  const ms = await cpuMs(() => {
    for (let count = 0; count < 20_000; count += 1) tasks.push(pool.run('task'));
  });

  // With a search through all that wait for each, it was some seconds.
  expect(ms).toBeLessThan(1000);
  await Promise.all(tasks);
  await pool.close();
});

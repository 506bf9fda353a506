import { connect } from '@millrace/runtime';
import { Queue, Worker } from 'bullmq';
import { expect, it, onTestFinished } from 'vitest';
import { newInstallation } from '../../support/redis/installation.ts';

/*
 * The admission of wakes (share.lua, recount.lua) reads keys that BullMQ does not document. Another version of BullMQ may
 * store them otherwise; then these scripts would count wrongly without any error.
 */

/** Opens a queue of BullMQ, and returns it with a function that reads one of its keys. */
function open() {
  const { url, prefix } = newInstallation();
  const connection = connect(url, 'test');
  const queue = new Queue('jobs', { connection, prefix });
  onTestFinished(async () => {
    await queue.close();
    connection.disconnect();
  });
  const key = (name: string) => `${prefix}:jobs:${name}`;
  return { connection, queue, key, prefix };
}

it('lists waiting jobs in the list "wait", and those with a priority in the sorted set "prioritized"', async () => {
  const { connection, queue, key } = open();

  await queue.add('wake', 'run_1', { jobId: 'first' });
  await queue.add('wake', 'run_1', { jobId: 'second', priority: 7 });

  expect(await connection.type(key('wait'))).toBe('list');
  expect(await connection.lrange(key('wait'), 0, -1)).toEqual(['first']);
  expect(await connection.type(key('prioritized'))).toBe('zset');
  expect(await connection.zrange(key('prioritized'), '0', '-1')).toEqual(['second']);
});

it('keeps a job in a hash of its id, with what it carries as JSON in the field "data"', async () => {
  const { connection, queue, key } = open();

  await queue.add('wake', 'run_1', { jobId: 'first' });

  expect(await connection.type(key('first'))).toBe('hash');
  expect(await connection.hget(key('first'), 'data')).toBe('"run_1"');
});

it('lists executing jobs in the list "active", and keeps nothing of a job that is removed at its end', async () => {
  const { connection, queue, key, prefix } = open();
  const worker = new Worker('jobs', null, { connection: connection.duplicate({ maxRetriesPerRequest: null }), prefix });
  onTestFinished(() => worker.close());
  await queue.add('wake', {}, { jobId: 'first', removeOnComplete: true });
  const job = await worker.getNextJob('token');

  expect(await connection.type(key('active'))).toBe('list');
  expect(await connection.lrange(key('active'), 0, -1)).toEqual(['first']);

  await job?.moveToCompleted('', 'token', false);
  expect(await connection.exists(key('first'), key('active'), key('wait'))).toBe(0);
});

import { createInlineQueue } from '@millrace/runtime';
import { expect, it } from 'vitest';
import type { QueueFixture } from '../queue.ts';
import { queueContract } from '../queue.ts';

queueContract('in line', async () => {
  const errors: QueueFixture['errors'][number][] = [];
  const queue = createInlineQueue({ onError: (error, wake) => errors.push({ error, wake }) });
  return { queue, other: queue, errors, close: () => queue.close() };
});

it('counts its consumers', async () => {
  const queue = createInlineQueue({ onError: () => undefined });
  const consumer = queue.consume(async () => undefined, { concurrency: 1, name: 'one' });
  expect(await queue.consumers()).toBe(1);

  await consumer.close();

  expect(await queue.consumers()).toBe(0);
});

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import { connect, openRuntime } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { commandsPerSecond } from '../../support/redis/commands-per-second.ts';
import { startRedis } from '../../support/redis/redis.ts';

const windowMs = 4000;

/** Starts a worker with connections of its own, as in a process of its own; returns the function that ends it. */
async function startIdleWorker(redisUrl: string): Promise<() => Promise<void>> {
  const vocabulary = createVocabulary();
  const runtime = await openRuntime({ redisUrl }, vocabulary, () => undefined);
  const log = pino({ level: 'silent' });
  const worker = startWorker({ runtime, vocabulary, concurrency: 4, name: randomUUID(), log });
  runtime.startCaretaker();
  const intake = runtime.intake.consume(async () => ({ type: 'later', reason: '' }), { name: 'idle' });
  return async () => {
    await intake.close();
    await worker.close();
    await runtime.close();
  };
}

it('sends at most two commands a second for each of several idle workers', async () => {
  const redis = await startRedis();
  const connection = connect(redis.url, 'test');
  const closes = await Promise.all(Array.from({ length: 10 }, () => startIdleWorker(redis.url)));
  // Connections and scripts are set up.
  await sleep(1500);

  const rate = await commandsPerSecond(connection, windowMs);

  expect(rate).toBeLessThan(20);
  await Promise.all(closes.map((close) => close()));
  connection.disconnect();
  await redis.stop();
});

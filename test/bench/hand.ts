import type { Runtime } from '@millrace/runtime';
import { Redis } from 'ioredis';
import type { ProcessCost } from './cost.ts';
import { countProcess } from './cost.ts';
import { hasCompleted, onStatus } from './ends.ts';
import { workOnChains } from './floor.ts';
import type { Order, Told } from './hands.ts';
import { openEngine, work } from './millrace.ts';

/*
 * A worker process of the benchmark (see hands.ts). It stays for the whole benchmark, because a process that has just
 * started is slower, and works only when it is told to.
 */

const tell = (told: Told) => void process.send?.(told);

async function main(redisUrl: string): Promise<void> {
  const engine = await openEngine(redisUrl);
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  onStatus(engine.store, (run, status) => {
    if (hasCompleted(run, status)) tell({ type: 'ended' });
  });
  const begin = (order: Extract<Order, { type: 'work' }>) => beginWork(order, { engine, connection });
  let atWork: Promise<{ close(): Promise<void> }> | undefined;
  let stopCounting: (() => ProcessCost) | undefined;
  process.on('message', async (order: Order) => {
    if (order.type === 'work') {
      atWork = begin(order);
      await atWork;
      stopCounting = countProcess();
      tell({ type: 'ready' });
    } else {
      const cost = stopCounting?.();
      await (await atWork)?.close();
      tell({ type: 'ready', ...(cost === undefined ? {} : { cost }) });
    }
  });
  // Whoever started it has gone, or wants it to go: nothing is in hand then that anybody waits for.
  process.on('disconnect', () => process.exit(0));
  tell({ type: 'ready' });
}

async function beginWork(
  { side, concurrency }: Extract<Order, { type: 'work' }>,
  { engine, connection }: { readonly engine: Runtime; readonly connection: Redis },
): Promise<{ close(): Promise<void> }> {
  if (side === 'millrace') return work(engine, concurrency);
  return workOnChains(connection, { concurrency, ended: () => tell({ type: 'ended' }) });
}

const [, , url = ''] = process.argv;
await main(url);

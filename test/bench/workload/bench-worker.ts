import type { Runtime } from '@millrace/runtime';
import { Redis } from 'ioredis';
import type { ProcessCost } from '../cost.ts';
import { countProcess } from '../cost.ts';
import type { WorkerCommand, WorkerMessage } from './bench-workers.ts';
import { hasCompleted, onStatus } from './ends.ts';
import { workOnChains } from './floor.ts';
import { openEngine, work } from './millrace.ts';

/*
 * A worker process of the benchmark (see bench-workers.ts). It stays for the whole benchmark, because a process that has just
 * started is slower, and works only when it is told to.
 */

const send = (message: WorkerMessage) => void process.send?.(message);

async function main(redisUrl: string): Promise<void> {
  const engine = await openEngine(redisUrl);
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  onStatus(engine.store, (run, status) => {
    if (hasCompleted(run, status)) send({ type: 'ended' });
  });
  const begin = (command: Extract<WorkerCommand, { type: 'work' }>) => beginWork(command, { engine, connection });
  let worker: Promise<{ close(): Promise<void> }> | undefined;
  let stopCounting: (() => ProcessCost) | undefined;
  process.on('message', async (command: WorkerCommand) => {
    if (command.type === 'work') {
      worker = begin(command);
      await worker;
      stopCounting = countProcess();
      send({ type: 'ready' });
    } else {
      const cost = stopCounting?.();
      await (await worker)?.close();
      send({ type: 'ready', ...(cost === undefined ? {} : { cost }) });
    }
  });
  // Whoever started it has gone, or wants it to go: nothing is in hand then that anybody waits for.
  process.on('disconnect', () => process.exit(0));
  send({ type: 'ready' });
}

async function beginWork(
  { side, concurrency }: Extract<WorkerCommand, { type: 'work' }>,
  { engine, connection }: { readonly engine: Runtime; readonly connection: Redis },
): Promise<{ close(): Promise<void> }> {
  if (side === 'millrace') return work(engine, concurrency);
  return workOnChains(connection, { concurrency, ended: () => send({ type: 'ended' }) });
}

const [, , url = ''] = process.argv;
await main(url);

import { GCProfiler, getHeapStatistics } from 'node:v8';
import type { Redis } from 'ioredis';

/** Cost of a piece of work: wall time in milliseconds, processor time in microseconds, allocated heap in bytes. */
export interface Cost {
  readonly ms: number;
  /** Processor time of the processes that work. */
  readonly worker: number;
  /** Processor time of the Redis server. */
  readonly redis: number;
  /** Bytes that the processes that work have allocated on their heaps, garbage included. */
  readonly allocated: number;
}

/** Processor time in microseconds and heap bytes that one process has used over a while. */
export type ProcessCost = Pick<Cost, 'worker' | 'allocated'>;

/** Starts counting what this process uses; the returned function stops counting. */
export function countProcess(): () => ProcessCost {
  const profiler = new GCProfiler();
  profiler.start();
  const heapBefore = getHeapStatistics().used_heap_size;
  const cpuBefore = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpuBefore);
    const heapAfter = getHeapStatistics().used_heap_size;
    return { worker: user + system, allocated: allocatedIn(heapBefore, profiler.stop().statistics, heapAfter) };
  };
}

/** A heap grows between collections: the sum of that growth is what was allocated. */
function allocatedIn(before: number, collections: readonly Collection[], after: number): number {
  let allocated = 0;
  let from = before;
  for (const { beforeGC, afterGC } of collections) {
    allocated += beforeGC.heapStatistics.usedHeapSize - from;
    from = afterGC.heapStatistics.usedHeapSize;
  }
  return allocated + after - from;
}

interface Collection {
  readonly beforeGC: { readonly heapStatistics: { readonly usedHeapSize: number } };
  readonly afterGC: { readonly heapStatistics: { readonly usedHeapSize: number } };
}

/** Measures work that happens in this process; the work returns its own wall time in milliseconds. */
export async function costOf(connection: Redis, work: () => Promise<number>): Promise<Cost> {
  const redis = await countRedis(connection);
  const stop = countProcess();
  const ms = await work();
  return { ms, ...stop(), redis: await redis() };
}

/** Starts counting the processor time of the Redis server, in microseconds. */
export async function countRedis(connection: Redis): Promise<() => Promise<number>> {
  const before = await redisCpu(connection);
  return async () => (await redisCpu(connection)) - before;
}

async function redisCpu(connection: Redis): Promise<number> {
  const info = await connection.info('cpu');
  const seconds = (field: string) => Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(info)?.[1] ?? Number.NaN);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1_000_000;
}

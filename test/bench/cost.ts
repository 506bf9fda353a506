import { GCProfiler, getHeapStatistics } from 'node:v8';
import type { Redis } from 'ioredis';
import type { RedisCost } from './redis-cost.ts';
import { countRedis } from './redis-cost.ts';
import { watchTurns } from './turns.ts';
import { committed } from './workload/ends.ts';

/** Use of one process in a while. */
export interface ProcessCost {
  /** Processor time in microseconds. */
  readonly worker: number;
  /** Bytes allocated on the heap, garbage included. */
  readonly allocated: number;
  readonly commits: number;
  /** Longest turn of the event loop in milliseconds of processor time; see {@link watchTurns}. */
  readonly turnMs: number;
}

/** Cost of a piece of work: wall time in milliseconds, and what the processes that work and Redis used. */
export interface Cost extends ProcessCost, RedisCost {
  readonly ms: number;
}

/** Starts counting what this process uses; the returned function stops counting. */
export function countProcess(): () => ProcessCost {
  const profiler = new GCProfiler();
  profiler.start();
  const longestTurn = watchTurns();
  const commitsBefore = committed();
  const heapBefore = getHeapStatistics().used_heap_size;
  const cpuBefore = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpuBefore);
    const heapAfter = getHeapStatistics().used_heap_size;
    return {
      worker: user + system,
      allocated: allocatedIn(heapBefore, profiler.stop().statistics, heapAfter),
      commits: committed() - commitsBefore,
      turnMs: longestTurn(),
    };
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
  return { ms, ...stop(), ...(await redis()) };
}

import { existsSync, openSync, readSync } from 'node:fs';
import { GCProfiler, getHeapStatistics } from 'node:v8';
import type { Redis } from 'ioredis';
import type { RedisCost } from './redis-cost.ts';
import { countRedis } from './redis-cost.ts';
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

const tickMs = 5;

/**
 * Watches the turns of the event loop; the returned function stops and returns the longest one in milliseconds. A timer sees
 * the time and the processor time between two of its ticks; the least of them bounds the processor time of each turn
 * in between from above, less than a tick too high: a process that waits for a core uses none, one whose other threads
 * compute has not more than the time, and one that also waits has not more than its own thread.
 */
function watchTurns(): () => number {
  let longest = 0;
  let before = clocks();
  const look = () => {
    const now = clocks();
    longest = Math.max(
      longest,
      Math.min(now.time - before.time, now.process - before.process, now.thread - before.thread),
    );
    before = now;
  };
  const timer = setInterval(look, tickMs);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}

const scheduling = '/proc/thread-self/schedstat';
/** Open while the process lives, as a tick must cost little. */
const statistics = existsSync(scheduling) ? openSync(scheduling, 'r') : undefined;
const line = Buffer.alloc(64);

/** Reads the time, and the processor time of the process and of this thread, in milliseconds; Linux counts the latter in steps of 4 ms. */
function clocks() {
  const { user, system } = process.cpuUsage();
  const cpu = (user + system) / 1000;
  return { time: performance.now(), process: cpu, thread: statistics === undefined ? cpu : threadMs(statistics) };
}

function threadMs(file: number): number {
  return Number.parseInt(line.toString('latin1', 0, readSync(file, line, 0, line.length, 0)), 10) / 1_000_000;
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

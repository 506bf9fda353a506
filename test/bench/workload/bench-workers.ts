import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import type { Cost, ProcessCost } from '../cost.ts';
import { countRedis } from '../redis-cost.ts';
import type { Countdown } from './countdown.ts';
import { countdown } from './countdown.ts';

/** Side of a comparison: the engine, or hand-written BullMQ. */
export type Side = 'floor' | 'millrace';

/** Command to a worker process. */
export type WorkerCommand =
  | { readonly type: 'work'; readonly side: Side; readonly concurrency: number }
  | { readonly type: 'rest' };

/** Message from a worker process: a command is done, and its cost; or a chain or run has ended. */
export type WorkerMessage = { readonly type: 'ready'; readonly cost?: ProcessCost } | { readonly type: 'ended' };

/** Worker processes that work when they are told to. */
export interface BenchWorkers {
  /** Cost from `start` being called to the end of the last of its chains or runs, with so many processes at work. */
  time(connection: Redis, task: Task): Promise<Cost>;
  close(): Promise<void>;
}

/** Something for worker processes to do. */
export interface Task {
  readonly side: Side;
  readonly processes: number;
  readonly concurrency: number;
  /** Number of chains or runs that will end. */
  readonly ends: number;
  readonly start: () => Promise<unknown>;
}

const program = fileURLToPath(new URL('./bench-worker.js', import.meta.url));

/** Starts worker processes, all of them at rest. */
export async function startBenchWorkers(redisUrl: string, count: number): Promise<BenchWorkers> {
  const workers = Array.from({ length: count }, () => startBenchWorker(redisUrl));
  await Promise.all(workers.map(({ started }) => started));
  return {
    async time(connection, { side, processes, concurrency, ends, start }) {
      const finished = countdown(ends);
      const team = workers.slice(0, processes);
      await Promise.all(team.map((worker) => worker.work({ type: 'work', side, concurrency }, finished)));
      const stopRedis = await countRedis(connection);
      const begun = performance.now();
      await Promise.all([start(), finished.all]);
      const ms = performance.now() - begun;
      const redis = await stopRedis();
      const costs = await Promise.all(team.map((worker) => worker.rest()));
      return {
        ms,
        ...redis,
        worker: sum(costs, 'worker'),
        allocated: sum(costs, 'allocated'),
        commits: sum(costs, 'commits'),
        turnMs: Math.max(...costs.map(({ turnMs }) => turnMs)),
      };
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

const sum = (costs: readonly ProcessCost[], part: keyof ProcessCost): number =>
  costs.reduce((total, cost) => total + cost[part], 0);

const nothing: ProcessCost = { worker: 0, allocated: 0, commits: 0, turnMs: 0 };

function startBenchWorker(redisUrl: string) {
  const child = fork(program, [redisUrl]);
  let finished: Countdown | undefined;
  let done: (cost: ProcessCost) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const ready = () =>
    new Promise<ProcessCost>((resolve, reject) => {
      done = resolve;
      fail = reject;
    });
  const send = (command: WorkerCommand) => {
    const answer = ready();
    child.send(command);
    return answer;
  };
  child.on('message', (message: WorkerMessage) =>
    message.type === 'ready' ? done(message.cost ?? nothing) : finished?.one(),
  );
  child.once('exit', (code) => {
    const error = new Error(`a worker process of the benchmark has ended with ${code}; see what it said above`);
    fail(error);
    finished?.fail(error);
  });
  return {
    started: ready(),
    work(command: WorkerCommand, counting: Countdown) {
      finished = counting;
      return send(command);
    },
    rest: () => send({ type: 'rest' }),
    close: () => closeChild(child),
  };
}

async function closeChild(child: ChildProcess): Promise<void> {
  if (!child.connected) return;
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

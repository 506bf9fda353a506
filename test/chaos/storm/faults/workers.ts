import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerProcess } from '../../../support/processes/worker-process.ts';
import type { FaultContext, FaultDefinition } from '../fault.ts';
import { withoutRedis } from './redis.ts';

/** Longer than a job stays with a worker that gives no sign of life. */
const frozenMs = 8000;
/** Time in which a process must end on a busy machine. */
const endsWithinMs = 8000;

/** SIGKILL to a worker; another one replaces it. */
export const workerKilled: FaultDefinition = {
  times: 2,
  async inject(context) {
    const worker = victimOf(context);
    if (worker === undefined) return;
    context.awake.delete(worker);
    await worker.kill();
    context.note('workerKilled', worker.name);
    await context.startWorker();
  },
};

/** SIGTERM to a worker. In half of the cases Redis goes at the same moment, and is back before the worker has ended, or after. */
export const workerTerminated: FaultDefinition = {
  times: 2,
  async inject(context) {
    const { awake, chance, broken } = context;
    const worker = victimOf(context);
    if (worker === undefined) return;
    awake.delete(worker);
    context.note('workerTerminated', worker.name);
    const isAlone = chance.below(2) === 0;
    const since = Date.now();
    const away = isAlone ? undefined : withoutRedis(context, 'redisKilled', chance.below(6000));
    const code = await worker.terminate();
    const tookMs = Date.now() - since;
    if (code !== 0 || tookMs > endsWithinMs) broken.push(`${worker.name} ended with ${code} after ${tookMs} ms`);
    await away;
    await context.startWorker();
  },
};

/** SIGSTOP to a worker, which continues after its jobs were given to others. */
export const workerFrozen: FaultDefinition = {
  times: 1,
  async inject(context) {
    const worker = victimOf(context);
    if (worker === undefined || context.awake.size === 1) return;
    context.awake.delete(worker);
    worker.freeze();
    context.note('workerFrozen', worker.name);
    context.inBackground(
      sleep(frozenMs).then(() => {
        worker.thaw();
        context.awake.add(worker);
      }),
    );
  },
};

const victimOf = ({ awake, chance }: FaultContext): WorkerProcess | undefined => [...awake][chance.below(awake.size)];

import type { Job } from 'bullmq';
import { DelayedError } from 'bullmq';
import type { Redis } from 'ioredis';
import { runScript, scriptOf } from '../../redis/commands/script.ts';

/*
 * Deaths of workers over jobs.
 *
 * BullMQ raises a counter of a job (`stc`) when the job is found without the lock that its worker renews. That is a death of the
 * worker, or the worker lives and has lost the lock: in an outage of Redis, or because it was paused. A worker that lives says so
 * as soon as it notices, and lowers the counter again. So the counter of a job is the number of workers that have really died
 * while they processed it. It ends with the job; a job of the same activation with another token begins at zero.
 */

/** Delay after which a suspect is offered again, in milliseconds. */
const offeredAgainMs = 1000;

/** Keeps jobs over which workers have died apart from each other, so that the next death is due to one of them. */
export class Suspects {
  readonly #isolatedFrom: number;
  #isBusy = false;

  /** Jobs over which as many workers have died are isolated. */
  constructor(isolatedFrom: number) {
    this.#isolatedFrom = isolatedFrom;
  }

  /** Processes a job over which workers have died; one that is isolated goes back to its queue while another one is processed. */
  async isolate<T>(
    job: Pick<Job, 'moveToDelayed'>,
    { token, deaths }: { readonly token: string | undefined; readonly deaths: number },
    work: () => Promise<T>,
  ): Promise<T> {
    if (deaths < this.#isolatedFrom) return work();
    if (this.#isBusy) {
      await job.moveToDelayed(Date.now() + offeredAgainMs, token);
      throw new DelayedError();
    }
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }
}

/** Lowers the count of deaths over jobs by one: their worker lives. Jobs that have ended have no count. */
export async function reportAlive(connection: Redis, jobKeys: readonly string[]): Promise<void> {
  if (jobKeys.length > 0) await runScript(connection, lowerCounts, { keys: [...jobKeys], args: [] });
}

const lowerCounts = scriptOf(`
for _, key in ipairs(KEYS) do
  if redis.call('exists', key) == 1 then redis.call('hincrby', key, 'stc', -1) end
end
`);

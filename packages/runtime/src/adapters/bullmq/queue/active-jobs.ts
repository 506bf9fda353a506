import type { Job, Worker } from 'bullmq';
import { WaitingError } from 'bullmq';

/**
 * Active jobs of a process, of all its BullMQ workers. After a stop, a job that a worker still receives goes back to
 * its queue: the request for it may have waited for Redis to come back.
 */
export class ActiveJobs {
  #count = 0;
  #isStopped = false;
  readonly #workers = new Set<Pick<Worker, 'pause'>>();

  get count(): number {
    return this.#count;
  }

  /** Adds a worker that is stopped with the others. */
  add(worker: Pick<Worker, 'pause'>): void {
    this.#workers.add(worker);
  }

  /** Starts no further job; active jobs continue. */
  stop(): void {
    this.#isStopped = true;
    // Pausing stops the requests for jobs. Without waiting, it cannot fail.
    for (const worker of this.#workers) void worker.pause(true);
  }

  /** Executes a job that a worker has received. */
  async do<T>(job: Pick<Job, 'moveToWait'>, token: string | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#isStopped) {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
    }
  }
}

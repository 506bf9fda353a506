import type { Job, Worker } from 'bullmq';
import { WaitingError } from 'bullmq';

/**
 * The jobs that a process has in hand, of all its BullMQ workers. Once it is stopped, a job that a worker is given all the
 * same goes back to its queue: the request for it may have waited for Redis to come back.
 */
export class ActiveJobs {
  #count = 0;
  #isStopped = false;
  readonly #workers = new Set<Pick<Worker, 'pause'>>();

  get count(): number {
    return this.#count;
  }

  /** Has a worker stop with the others. */
  add(worker: Pick<Worker, 'pause'>): void {
    this.#workers.add(worker);
  }

  /** Begins no job from now on; those in hand go on. */
  stop(): void {
    this.#isStopped = true;
    // They ask for no more. What is paused without waiting cannot fail.
    for (const worker of this.#workers) void worker.pause(true);
  }

  /** Does the work of a job that a worker was given. */
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

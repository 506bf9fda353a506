import type { Consumer } from './queue.ts';
import type { Scheduler } from './scheduler.ts';

/** Work that belongs to no run, such as the delivery of a webhook. */
export interface BackgroundJob<T> {
  /** Letters, digits, `_`, `-`, `.` and `~`. A job is not added twice under one id within an hour. */
  readonly id: string;
  readonly data: T;
}

/** One attempt of a job. */
export interface JobAttempt {
  /** From 1. */
  readonly number: number;
  readonly isLast: boolean;
  /** Aborted when the process stops without waiting. */
  readonly signal: AbortSignal;
  /** Postpones the job: it is run again after `afterMs`, and this attempt does not count. Always rejects. */
  postpone(afterMs: number): Promise<never>;
}

/** Number of attempts of a job, and the delay after the first one; each delay is twice as long as the one before. */
export interface RetryOptions {
  readonly attempts: number;
  readonly delayMs: number;
}

/** Queue of background jobs. Each job is executed at least once; one that throws is retried. */
export interface JobQueue<T> {
  add(jobs: readonly BackgroundJob<T>[], retry: RetryOptions): Promise<void>;
  /** Starts a consumer. Jobs that are active when it is closed are aborted, and executed again by another consumer. */
  consume(
    perform: (data: T, attempt: JobAttempt) => Promise<void>,
    options: { readonly concurrency: number },
  ): Consumer;
  /** Returns the number of processes that consume the queue. */
  consumers(): Promise<number>;
}

/** The background jobs of an installation. */
export interface JobQueues {
  open<T>(name: string): JobQueue<T>;
  openScheduler(): Scheduler;
}

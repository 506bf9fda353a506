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

/** A job on the intake queue. */
export interface IntakeJob {
  /** Id that its sender chose, or a number of the queue. */
  readonly id: string;
  /** Unique key of the job, the same for each of its deliveries. */
  readonly key: string;
  readonly data: unknown;
}

/** Outcome of a job. */
export type IntakeResult =
  /** Returned to clients that wait for the job. */
  | { readonly type: 'started'; readonly answer: Readonly<Record<string, string>> }
  /** The job is invalid: it is kept with the reason, and not tried again until an operator requests it. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The cause is not the job: it is tried again later. */
  | { readonly type: 'later'; readonly reason: string };

/** A job that was refused. */
export interface RefusedJob {
  readonly id: string;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly refusedAt: number;
  readonly data: unknown;
}

/** Queue to which programs in any language add jobs that start runs. */
export interface Intake {
  /** Consumes jobs until it is closed. A `take` that throws is retried a few times. */
  consume(take: (job: IntakeJob) => Promise<IntakeResult>, options: { readonly name: string }): Consumer;
  /** Returns refused jobs, newest first, from an offset on; the number of kept jobs is limited. */
  refused(from: number, limit: number): Promise<readonly RefusedJob[]>;
  /** Returns a refused job; undefined when there is none of this id. */
  find(id: string): Promise<RefusedJob | undefined>;
  /** Queues a refused job again. Returns whether there was one. */
  retry(id: string): Promise<boolean>;
  /** Deletes a refused job. Returns whether there was one. */
  drop(id: string): Promise<boolean>;
  close(): Promise<void>;
}

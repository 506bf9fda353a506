import type { Consumer } from '../queue/port.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';

/** Something to be done for somebody outside of any run. */
export interface BackgroundJob<T> {
  /** Letters, digits, `_`, `-`, `.` and `~`. One that was added within the last hour is not added again under its id. */
  readonly id: string;
  readonly what: T;
}

/** Which try of an errand it is. */
export interface JobAttempt {
  /** From 1. */
  readonly number: number;
  readonly isLast: boolean;
  /** Aborted when the process stops without waiting. */
  readonly signal: AbortSignal;
  /** For who cannot do it now, and could in a while: it comes again then, and this was no try. Always rejects. */
  later(afterMs: number): Promise<never>;
}

/** How often an errand is tried, and how long it rests after the first try; each rest is twice as long as the one before. */
export interface RetryOptions {
  readonly count: number;
  readonly restMs: number;
}

/** A queue of errands. Each is done at least once; one that throws is tried again. */
export interface JobQueue<T> {
  add(errands: readonly BackgroundJob<T>[], tries: RetryOptions): Promise<void>;
  /** What is at work when the consumer is closed is told to stop, and done again by another one. */
  consume(
    perform: (what: T, attempt: JobAttempt) => Promise<void>,
    options: { readonly concurrency: number },
  ): Consumer;
  /** How many processes carry them out. */
  consumers(): Promise<number>;
}

/** The errands of an installation. */
export interface JobQueues {
  open<T>(name: string): JobQueue<T>;
  openScheduler(): Scheduler;
}

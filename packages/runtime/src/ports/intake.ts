import type { Consumer } from './queue.ts';

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

import type { Consumer } from '../../queue/port.ts';

/** A job that somebody has put on the intake queue. */
export interface IntakeJob {
  /** As whoever put it there calls it, or a number of the queue's. */
  readonly id: string;
  /** The same whenever this job is delivered, and no other one's. */
  readonly key: string;
  readonly data: unknown;
}

/** Outcome of a job. */
export type IntakeResult =
  /** Told to whoever waits for the job. */
  | { readonly type: 'started'; readonly answer: Readonly<Record<string, string>> }
  /** It is the job's own fault: it is kept with the reason, and not tried again before somebody says so. */
  | { readonly type: 'refused'; readonly reason: string }
  /** It is not the job's fault: it is tried again later. */
  | { readonly type: 'later'; readonly reason: string };

/** A job that was refused. */
export interface RefusedJob {
  readonly id: string;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly refusedAt: number;
  readonly data: unknown;
}

/** The queue on which programs in any language put what is to run. */
export interface Intake {
  /** Takes jobs until it is closed. A `take` that throws is tried again, a few times. */
  consume(take: (job: IntakeJob) => Promise<IntakeResult>, options: { readonly name: string }): Consumer;
  /** Refused jobs, newest first, from this place on; only so many are kept. */
  refused(from: number, limit: number): Promise<readonly RefusedJob[]>;
  /** Undefined when there is no such refused job. */
  find(id: string): Promise<RefusedJob | undefined>;
  /** Takes a refused job again. Says whether there was one. */
  retry(id: string): Promise<boolean>;
  /** Forgets a refused job. Says whether there was one. */
  drop(id: string): Promise<boolean>;
  close(): Promise<void>;
}

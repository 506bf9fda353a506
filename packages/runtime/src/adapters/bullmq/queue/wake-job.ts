import type { ActivationId, Wake } from '@millrace/core';
import type { Job } from 'bullmq';

/** Data of the job of a wake: what its id does not have. */
export type WakeData = Pick<Wake, 'run'> & {
  readonly [Name in 'queue' | 'priority']?: Wake[Name] | undefined;
};

/** Returns the data of the job of a wake. */
export const dataOf = ({ run, queue, priority }: Wake): WakeData => ({ run, queue, priority });

/** Returns the wake of a job that was added with its data under the id of `jobId`. */
export function wakeOf({ id = '', data: { run, queue, priority } }: Pick<Job<WakeData>, 'id' | 'data'>): Wake {
  const end = id.indexOf('.');
  return {
    run,
    activation: id.slice(0, end) as ActivationId, // by jobId
    token: id.slice(end + 1),
    ...(queue === undefined ? {} : { queue }),
    ...(priority === undefined ? {} : { priority }),
  };
}

import type { ActivationId, QueueName, RunId, Wake } from '@millrace/core';
import { defaultQueue } from '@millrace/core';
import type { Job } from 'bullmq';

/** Job of a wake. Its data are the run, and its id is that of `jobId`; BullMQ knows its queue and its priority. */
export type WakeJob = Job<RunId, void, string>;

/** Returns the wake of a job of a queue. */
export function wakeOf(
  { id = '', data, opts: { priority } }: Pick<WakeJob, 'id' | 'data' | 'opts'>,
  queue: QueueName,
): Wake {
  const end = id.indexOf('.');
  return {
    run: data,
    activation: id.slice(0, end) as ActivationId, // by jobId
    token: id.slice(end + 1),
    ...(queue === defaultQueue ? {} : { queue }),
    ...(priority === undefined ? {} : { priority }),
  };
}

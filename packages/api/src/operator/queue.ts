import { z } from 'zod';

/** A worker that is connected. */
export const WorkerState = z
  .object({
    name: z.string().describe('Name of the worker in journals.'),
    queue: z.string(),
    address: z.string().describe('Address of the worker, as Redis reports it.'),
    connectedSeconds: z.number(),
  })
  .meta({ id: 'Worker' });

/** State of a queue. */
export const QueueState = z
  .object({
    name: z.string(),
    paused: z.boolean(),
    waiting: z.number().int(),
    active: z.number().int(),
    delayed: z.number().int(),
    workers: z.number().int(),
  })
  .meta({ id: 'Queue' });

/** Routes below one queue. */
export const QueuePath = z.object({ queue: z.string().min(1).max(200) });

/** Result of a probe: a job that asks for nothing but to be taken. */
export const ProbeResult = z.enum(['taken', 'busy', 'paused', 'nobody']);

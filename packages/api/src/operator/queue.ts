import { z } from 'zod';

/** A worker that is connected. */
export const WorkerState = z
  .object({
    name: z.string().describe('Name of the worker in journals.'),
    queue: z.string(),
    address: z.string().describe('Address of the worker, as Redis reports it.'),
    connectedSeconds: z.number(),
    version: z.string().optional().describe('Version of Millrace; absent until the worker has reported its state.'),
    node: z.string().optional().describe('Version of Node.js.'),
    concurrency: z.int().optional().describe('Number of activations that it executes at a time, of each queue.'),
    active: z.int().optional().describe('Number of activations that it executes, of all its queues.'),
    work: z
      .array(
        z.object({
          tenant: z.string(),
          run: z.string().describe('Id of the run, as its tenant knows it.'),
          activation: z.string(),
          node: z.string().describe('Id of the node.'),
          unit: z.int().optional().describe('Number of its unit in a fan-out, from 0.'),
          since: z.number().describe('Milliseconds since 1970, by the clock of the worker.'),
        }),
      )
      .optional()
      .describe('The oldest activations that it executes, at most 20.'),
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
    oldestAt: z
      .number()
      .optional()
      .describe('Time since which the oldest job waits, in milliseconds since 1970; absent when none waits.'),
  })
  .meta({ id: 'Queue' });

/** Routes below one queue. */
export const QueuePath = z.object({ queue: z.string().min(1).max(200) });

/** Result of a probe, an empty job that a worker takes. */
export const ProbeResult = z.enum(['taken', 'busy', 'paused', 'nobody']);

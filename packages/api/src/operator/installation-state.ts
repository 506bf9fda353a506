import { z } from 'zod';
import { QueueState } from './queue.ts';

/** Result of a check, and its remedy. */
export const Finding = z
  .object({
    level: z
      .enum(['good', 'weak', 'bad'])
      .describe('`bad`: work is stopped or may be lost; `weak`: it works, with restrictions.'),
    subject: z.string(),
    message: z.string(),
    cure: z.string().optional(),
  })
  .meta({ id: 'Finding' });
/** Finding as responses have it. */
export type Finding = z.output<typeof Finding>;

/** State of an installation in one line. */
const Health = z
  .object({
    level: z
      .enum(['good', 'weak', 'bad'])
      .describe('`weak`: something is restricted; `bad`: work is stopped or fails.'),
    line: z
      .string()
      .describe(
        'Such as `failures up since 09:00 UTC: 14 runs · 3 workers · 12 queued, oldest 4 s`; failures are of the tenant.',
      ),
  })
  .meta({ id: 'Health' });
/** Health as responses have it. */
export type Health = z.output<typeof Health>;

const count = z.int();

/** State of an installation. */
export const InstallationState = z
  .object({
    now: z.number().describe('Clock of Redis, in milliseconds since 1970.'),
    version: z.string().describe('Version of the server that answers.'),
    health: Health,
    alerts: z.array(Finding).describe('Problems that need attention, the worst first.'),
    workers: count.describe('Number of connected workers.'),
    workerVersions: z.record(z.string(), count).describe('Number of workers by version.'),
    queues: z.array(QueueState),
    agenda: z
      .object({
        entries: count.describe('Activations and alarms that are looked after.'),
        lagMs: z.number().describe('Age of the most overdue one, in milliseconds.'),
      })
      .nullable()
      .describe('null where runs live in one process only.'),
    endedRuns: z
      .object({ completed: count, failed: count, cancelled: count, terminated: count })
      .nullable()
      .describe('Ended runs that are kept, of all tenants.'),
    redis: z
      .object({
        usedBytes: count,
        limitBytes: count.describe('0: no limit.'),
        findings: z.array(Finding).describe('Version, durability, memory and clock, as `millrace doctor` shows them.'),
      })
      .nullable(),
    refusedJobs: count.describe('Refused jobs of the intake queue, counted up to 200.'),
  })
  .meta({ id: 'InstallationState' });
/** InstallationState as responses have it. */
export type InstallationState = z.output<typeof InstallationState>;

import { defaultTenant, tenantPattern } from '@millrace/core';
import type { RefusedJob } from '@millrace/runtime';
import { z } from 'zod';
import { pageOf } from '../schemas/page.ts';
import { StartRun } from '../schemas/runs/run.ts';

/** Schema of the data of an intake job. */
export const IntakeRun = StartRun.extend({
  tenant: z
    .string()
    .regex(tenantPattern, 'must be the name of a tenant')
    .default(defaultTenant)
    .describe('Tenant of the run.'),
}).meta({ id: 'IntakeRun' });

/** Routes below one refused job. */
export const RefusedIntakeJobPath = z.object({ id: z.string().min(1).max(500).describe('The id of the job.') });

/** A job of the intake queue that was refused. */
export const RefusedIntakeJob = z
  .object({
    id: z.string().describe('The id of the job.'),
    reason: z.string().describe('Reason of the refusal.'),
    refusedAt: z.number().describe('Milliseconds since 1970.'),
    data: z.unknown().describe('Data of the job.'),
  })
  .meta({ id: 'RefusedJob' });
/** RefusedIntakeJob as responses have it. */
export type RefusedIntakeJob = z.output<typeof RefusedIntakeJob>;

/** A page of refused jobs. */
export const RefusedIntakeJobList = pageOf(RefusedIntakeJob);

/** A refused job as the API shows it. */
export const refusedIntakeJobOf = (job: RefusedJob): z.infer<typeof RefusedIntakeJob> => ({ ...job });

/** Returns the tenant of a job, even when the rest of its data is invalid. */
export function tenantIn(data: unknown): string {
  const named = z.object({ tenant: IntakeRun.shape.tenant }).safeParse(data);
  return named.success ? named.data.tenant : defaultTenant;
}

import { tenantPattern } from '@millrace/core';
import { z } from 'zod';

const Tenant = z.string().regex(tenantPattern, 'must be the name of a tenant');
const WorkflowName = z.string().min(1).max(200).describe('What lists of runs call it.');
const Activations = z.int().min(1).max(1_000_000);

/** How much of the workers a tenant, or one of its workflows, may have. */
export const TenantLimit = z
  .object({
    tenant: Tenant,
    workflow: WorkflowName.optional().describe('Absent: all of the tenant together.'),
    activations: Activations.describe('That may be queued for workers or at work at a time.'),
  })
  .meta({ id: 'Limit' });
/** TenantLimit as responses have it. */
export type TenantLimit = z.output<typeof TenantLimit>;

/** What sets a limit. */
export const NewTenantLimit = z
  .strictObject({ activations: Activations.describe('That may be queued for workers or at work at a time.') })
  .meta({ id: 'NewLimit' });

/** What a limit is of, in a path. */
export const TenantLimitPath = z.object({ tenant: Tenant });
export const WorkflowLimitPath = TenantLimitPath.extend({ workflow: WorkflowName });

/** Whether there was a limit that was lifted. */
export const LiftedLimit = z.object({ lifted: z.boolean() }).meta({ id: 'Lifted' });

import { tenantPattern } from '@millrace/core';
import { z } from 'zod';

const Tenant = z.string().regex(tenantPattern, 'must be the name of a tenant');
const WorkflowName = z.string().min(1).max(200).describe('Name of the workflow in lists of runs.');
const Activations = z.int().min(1).max(1_000_000);

/** Limit of the work of a tenant, or of one of its workflows. */
export const TenantLimit = z
  .object({
    tenant: Tenant,
    workflow: WorkflowName.optional().describe('Absent: all workflows of the tenant together.'),
    activations: Activations.describe('Maximum number of activations that may be queued or executing at a time.'),
  })
  .meta({ id: 'Limit' });
/** TenantLimit as responses have it. */
export type TenantLimit = z.output<typeof TenantLimit>;

/** What a tenant has stored. */
export const TenantStorage = z
  .object({
    tenant: Tenant,
    bytes: z
      .int()
      .describe(
        'Bytes of its uploaded files, of the files and messages of its runs, and of the tables of its batches.',
      ),
    limit: z.int().describe('Maximum number of bytes that it may store.'),
  })
  .meta({ id: 'TenantStorage' });

/** Schema of a new limit. */
export const NewTenantLimit = z
  .strictObject({
    activations: Activations.describe('Maximum number of activations that may be queued or executing at a time.'),
  })
  .meta({ id: 'NewLimit' });

/** Tenant, or workflow, of a limit in a path. */
export const TenantLimitPath = z.object({ tenant: Tenant });
export const WorkflowLimitPath = TenantLimitPath.extend({ workflow: WorkflowName });

/** Result of lifting a limit. */
export const LimitRemoval = z.object({ lifted: z.boolean() }).meta({ id: 'LimitRemoval' });

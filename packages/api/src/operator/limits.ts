import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import {
  LimitRemoval,
  NewTenantLimit,
  TenantLimit,
  TenantLimitPath,
  TenantStorage,
  WorkflowLimitPath,
} from './limit.ts';

export const listLimits = operation({
  name: 'limits.list',
  method: 'GET',
  path: '/v1/limits',
  cli: 'limits list',
  scope: 'operator',
  summary: 'The limits of tenants and their workflows, and what tenants have stored',
  output: z.object({
    data: z.array(TenantLimit),
    stored: z.array(TenantStorage).describe('Tenants that have stored files, contents of runs or tables of batches.'),
  }),
  async run({ installation }) {
    const [limits, stored] = await Promise.all([installation.limits.list(), installation.stored()]);
    const limit = installation.storedBytes;
    return { body: { data: [...limits], stored: stored.map((tenant) => ({ ...tenant, limit })) } };
  },
});

export const setTenantLimit = operation({
  name: 'limits.setTenant',
  method: 'PUT',
  path: '/v1/limits/:tenant',
  cli: 'limits set <activations> --tenant <tenant>',
  scope: 'operator',
  summary: 'Set the limit of a tenant',
  params: TenantLimitPath,
  body: NewTenantLimit,
  example: { activations: 50 },
  output: TenantLimit,
  needs: 'redis',
  async run({ installation }, limit) {
    await installation.limits.set(limit);
    return { body: limit };
  },
});

export const setWorkflowLimit = operation({
  name: 'limits.setWorkflow',
  method: 'PUT',
  path: '/v1/limits/:tenant/workflows/:workflow',
  cli: 'limits set <activations> --tenant <tenant> --workflow <workflow>',
  scope: 'operator',
  summary: 'Set the limit of a workflow of a tenant',
  params: WorkflowLimitPath,
  body: NewTenantLimit,
  example: { activations: 5 },
  output: TenantLimit,
  needs: 'redis',
  async run({ installation }, limit) {
    await installation.limits.set(limit);
    return { body: limit };
  },
});

export const liftTenantLimit = operation({
  name: 'limits.liftTenant',
  method: 'DELETE',
  path: '/v1/limits/:tenant',
  cli: 'limits lift --tenant <tenant>',
  scope: 'operator',
  summary: 'Remove the limit of a tenant',
  params: TenantLimitPath,
  output: LimitRemoval,
  run: async ({ installation }, whose) => ({ body: { lifted: await installation.limits.lift(whose) } }),
});

export const liftWorkflowLimit = operation({
  name: 'limits.liftWorkflow',
  method: 'DELETE',
  path: '/v1/limits/:tenant/workflows/:workflow',
  cli: 'limits lift --tenant <tenant> --workflow <workflow>',
  scope: 'operator',
  summary: 'Remove the limit of a workflow of a tenant',
  params: WorkflowLimitPath,
  output: LimitRemoval,
  run: async ({ installation }, whose) => ({ body: { lifted: await installation.limits.lift(whose) } }),
});

import { LiftedLimit, NewTenantLimit, problems, TenantLimit, TenantLimitPath, WorkflowLimitPath } from '@millrace/api';
import { z } from 'zod';
import type { Api } from '../api.ts';
import type { Server } from '../server.ts';

/** How much of the workers tenants and workflows may have: who shares them does not decide that. */
export function addLimitRoutes(server: Server, { limits }: Api): void {
  server.get(
    '/v1/limits',
    {
      config: { demand: 'operator' },
      schema: {
        summary: 'The limits of tenants and their workflows',
        response: { 200: z.object({ data: z.array(TenantLimit) }), ...problems },
      },
    },
    async () => ({ data: [...(await limits.list())] }),
  );
  const places = [
    { url: '/v1/limits/:tenant', params: TenantLimitPath, of: 'a tenant' },
    { url: '/v1/limits/:tenant/workflows/:workflow', params: WorkflowLimitPath, of: 'a workflow of a tenant' },
  ] as const;
  for (const { url, params, of } of places) {
    server.put(
      url,
      {
        config: { demand: 'operator' },
        schema: {
          summary: `Set the limit of ${of}`,
          params,
          body: NewTenantLimit,
          response: { 200: TenantLimit, ...problems },
        },
      },
      async ({ params: whose, body }) => {
        const limit = { ...whose, ...body };
        await limits.set(limit);
        return limit;
      },
    );
    server.delete(
      url,
      {
        config: { demand: 'operator' },
        schema: { summary: `Lift the limit of ${of}`, params, response: { 200: LiftedLimit, ...problems } },
      },
      async ({ params: whose }) => ({ lifted: await limits.lift(whose) }),
    );
  }
}

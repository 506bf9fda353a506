import type { TenantLimit as Limit } from '@millrace/api';
import type { Http } from '../http/http.ts';

/** How much of the workers tenants and their workflows may have. They need an operator's key. */
export interface LimitsResource {
  list(): Promise<readonly Limit[]>;
  set(limit: Limit): Promise<Limit>;
  /** Says whether there was one. */
  lift(whose: Omit<Limit, 'activations'>): Promise<boolean>;
}

/** The limits of an installation. */
export function createLimitsResource(http: Http): LimitsResource {
  const at = ({ tenant, workflow }: Omit<Limit, 'activations'>): string => {
    const own = `v1/limits/${encodeURIComponent(tenant)}`;
    return workflow === undefined ? own : `${own}/workflows/${encodeURIComponent(workflow)}`;
  };
  return {
    list: async () => (await http.json<{ data: Limit[] }>('v1/limits')).data,
    set: ({ activations, ...whose }) => http.json(at(whose), { method: 'PUT', json: { activations } }),
    lift: async (whose) => (await http.json<{ lifted: boolean }>(at(whose), { method: 'DELETE' })).lifted,
  };
}

import type { Client } from '../client.ts';
import type { Limit } from '../generated/types.ts';

/** Share of the workers that tenants and their workflows may have. The methods need an operator's key. */
export interface LimitsResource {
  list(): Promise<readonly Limit[]>;
  set(limit: Limit): Promise<Limit>;
  /** Returns whether there was a limit. */
  lift(whose: Omit<Limit, 'activations'>): Promise<boolean>;
}

/** Makes the methods of limits. */
export const createLimitsResource = (client: Client): LimitsResource => ({
  list: async () => (await client.call('limits.list', {})).data,
  set: ({ tenant, workflow, activations }) =>
    workflow === undefined
      ? client.call('limits.setTenant', { tenant, activations })
      : client.call('limits.setWorkflow', { tenant, workflow, activations }),
  async lift({ tenant, workflow }) {
    const { lifted } = await (workflow === undefined
      ? client.call('limits.liftTenant', { tenant })
      : client.call('limits.liftWorkflow', { tenant, workflow }));
    return lifted;
  },
});

import type { Client, RequestOptions } from '../client.ts';
import type { Limit } from '../generated/schemas.ts';

/** Limits of the share of the workers that tenants and workflows may use. The methods need an operator's key. */
export interface LimitsResource {
  list(options?: RequestOptions): Promise<readonly Limit[]>;
  set(limit: Limit, options?: RequestOptions): Promise<Limit>;
  /** Removes a limit. Returns whether there was one. */
  lift(whose: Omit<Limit, 'activations'>, options?: RequestOptions): Promise<boolean>;
}

/** Returns the methods of limits. */
export const createLimitsResource = (client: Client): LimitsResource => ({
  list: async (options) => (await client.call('limits.list', {}, options)).data,
  set: ({ tenant, workflow, activations }, options) =>
    workflow === undefined
      ? client.call('limits.setTenant', { tenant, activations }, options)
      : client.call('limits.setWorkflow', { tenant, workflow, activations }, options),
  async lift({ tenant, workflow }, options) {
    const { lifted } = await (workflow === undefined
      ? client.call('limits.liftTenant', { tenant }, options)
      : client.call('limits.liftWorkflow', { tenant, workflow }, options));
    return lifted;
  },
});

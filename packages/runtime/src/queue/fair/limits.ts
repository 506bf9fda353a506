import type { TenantId } from '@millrace/core';
import { assertTenant } from '@millrace/core';
import type { Redis } from 'ioredis';
import { runScript, scriptOf } from '../../redis/script.ts';
import { createKeys } from '../../store/keys.ts';

/** How many activations of a tenant, or of one of its workflows, may be queued for workers or at work at a time. */
export interface Limit {
  readonly tenant: TenantId;
  /** What lists of runs call the workflow; absent: all of the tenant's together. */
  readonly workflow?: string | undefined;
  readonly activations: number;
}

/** The limits of an installation. A new one holds for what becomes ready from then on. */
export interface Limits {
  list(): Promise<readonly Limit[]>;
  /** Throws RequestError when no tenant can be called that. */
  set(limit: Limit): Promise<void>;
  /** Says whether there was one. */
  lift(limit: Omit<Limit, 'activations'>): Promise<boolean>;
}

/** The limits that share.lua goes by. */
export function createLimits(connection: Redis, prefix?: string): Limits {
  const keys = createKeys(prefix);
  return {
    async list() {
      const tenants = (await connection.smembers(keys.limited)).sort();
      const read = await Promise.all(tenants.map((tenant) => connection.hgetall(keys.limits(tenant))));
      return tenants.flatMap((tenant, at) =>
        Object.entries(read[at] ?? {}).map(([workflow, activations]) => ({
          tenant,
          ...(workflow === '' ? {} : { workflow }),
          activations: Number(activations),
        })),
      );
    },
    async set({ tenant, workflow = '', activations }) {
      assertTenant(tenant);
      await runScript(connection, change, {
        keys: [keys.limited, keys.limits(tenant)],
        args: [tenant, workflow, activations],
      });
    },
    async lift({ tenant, workflow = '' }) {
      const lifted = await runScript(connection, change, {
        keys: [keys.limited, keys.limits(tenant)],
        args: [tenant, workflow],
      });
      return lifted === 1;
    },
  };
}

/**
 * Sets or lifts a limit: who has one is among those who have, whoever changes it meanwhile. KEYS: tenants with limits, the
 * tenant's. ARGV: tenant, workflow, and the limit, without which it is lifted. Returns how many are new or lifted.
 */
const change = scriptOf(`
if ARGV[3] then
  redis.call('sadd', KEYS[1], ARGV[1])
  return redis.call('hset', KEYS[2], ARGV[2], ARGV[3])
end
local lifted = redis.call('hdel', KEYS[2], ARGV[2])
if redis.call('exists', KEYS[2]) == 0 then redis.call('srem', KEYS[1], ARGV[1]) end
return lifted
`);

/** Runs that live in one process have all of its workers. */
export const unlimited: Limits = {
  list: async () => [],
  set: async () => undefined,
  lift: async () => false,
};

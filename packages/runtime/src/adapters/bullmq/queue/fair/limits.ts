import type { TenantId } from '@millrace/core';
import { assertTenant } from '@millrace/core';
import { announceChange } from '../../../../live/refresh.ts';
import type { Broadcast } from '../../../../ports/broadcast.ts';
import { onceScript, runOnce } from '../../../redis/commands/once.ts';
import type { Shard } from '../../../redis/connection/shard.ts';

/** Limit of the activations of a tenant, or of one of its workflows, that may be queued or executing at a time. */
export interface Limit {
  readonly tenant: TenantId;
  /** Name of the workflow in lists of runs; absent: all workflows of the tenant together. */
  readonly workflow?: string | undefined;
  readonly activations: number;
}

/** Limits of an installation. A new limit applies to activations that become ready from then on. */
export interface Limits {
  list(): Promise<readonly Limit[]>;
  /** Sets a limit. Throws RequestError for an invalid name of a tenant. */
  set(limit: Limit): Promise<void>;
  /** Removes a limit; returns whether there was one. */
  lift(limit: Omit<Limit, 'activations'>): Promise<boolean>;
}

/** Limits that share.lua reads; changes are announced to other processes. */
export function createLimits({ connection, keys }: Shard, broadcast?: Broadcast): Limits {
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
      const places = [keys.limited, keys.limits(tenant)];
      await runOnce(connection, keys, change, { keys: places, args: [tenant, workflow, activations] });
      announceChange(broadcast, 'limits');
    },
    async lift({ tenant, workflow = '' }) {
      const places = [keys.limited, keys.limits(tenant)];
      const lifted = await runOnce(connection, keys, change, { keys: places, args: [tenant, workflow] });
      announceChange(broadcast, 'limits');
      return lifted === 1;
    },
  };
}

/**
 * Sets or removes a limit and keeps the list of tenants with limits consistent, also with concurrent changes. KEYS:
 * tenants with limits, the tenant's. ARGV: tenant, workflow, and the limit; without it, the limit is removed. Returns
 * the number of added or removed limits.
 */
const change = onceScript(`
if ARGV[3] then
  redis.call('sadd', KEYS[1], ARGV[1])
  return redis.call('hset', KEYS[2], ARGV[2], ARGV[3])
end
local lifted = redis.call('hdel', KEYS[2], ARGV[2])
if redis.call('exists', KEYS[2]) == 0 then redis.call('srem', KEYS[1], ARGV[1]) end
return lifted
`);

/** Limits of runs that live in one process, which have all of its workers: there are none. */
export const unlimited: Limits = {
  list: async () => [],
  set: async () => undefined,
  lift: async () => false,
};

/** Tenants that must request admission before a wake enters its queue, as far as this process knows. */
export class TenantLimits {
  readonly #crowded = new Set<TenantId>();
  /** Undefined until the limits are known. */
  #limited: ReadonlySet<TenantId> | undefined;

  /** Records that a tenant was within its share, or beyond it. */
  learn(tenant: TenantId, share: { readonly within: boolean }): void {
    if (share.within) this.#crowded.delete(tenant);
    else this.#crowded.add(tenant);
  }

  /** Records the tenants that have limits. */
  learnLimited(tenants: readonly TenantId[]): void {
    this.#limited = new Set(tenants);
  }

  mustAsk(tenant: TenantId): boolean {
    return this.#limited?.has(tenant) !== false || this.#crowded.has(tenant);
  }
}

import type { TenantId } from '@millrace/core';
import { tenantOf } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { StoredBytes } from '../../../../ports/store/stored-bytes.ts';
import { ownerOfMessages, ownerOfRun } from '../../../../ports/store/stored-bytes.ts';
import { readScript, runScript } from '../../commands/script.ts';
import type { Keys } from '../../location/keys.ts';

const countScript = readScript(
  new URL('../../../../../src/adapters/redis/store/resources/count-stored.lua', import.meta.url),
);

const measureScript = readScript(
  new URL('../../../../../src/adapters/redis/store/resources/measure-messages.lua', import.meta.url),
);

/** The stored bytes of tenants in Redis: a hash for each tenant, and one for each run with contents. */
export function createRedisStoredBytes(connection: Redis, keys: Keys): StoredBytes {
  const hashes = (tenant: TenantId): readonly string[] => [keys.stored(tenant), keys.storedTenants];
  const count = async (places: readonly string[], args: readonly (string | number)[]): Promise<boolean> =>
    (await runScript(connection, countScript, { keys: places, args })) === 1;
  const total = async (tenant: TenantId): Promise<number> => Number(await connection.hget(keys.stored(tenant), ''));
  return {
    total,
    set: (tenant, owner, { bytes, most, instead = '' }) =>
      count(hashes(tenant), [tenant, owner, finite(most), instead, bytes]),
    add(run, contents, most) {
      const tenant = tenantOf(run);
      const pairs = contents.flatMap(({ digest, size }) => [digest, size]);
      const places = [...hashes(tenant), keys.run(run).contents];
      return count(places, [tenant, ownerOfRun(run), finite(most), '', '', ...pairs]);
    },
    async remove(run, digests) {
      const tenant = tenantOf(run);
      const places = [...hashes(tenant), keys.run(run).contents];
      const pairs = digests.flatMap((digest) => [digest, '']);
      if (pairs.length > 0) await count(places, [tenant, ownerOfRun(run), 0, '', '', ...pairs]);
    },
    async measure(run) {
      const tenant = tenantOf(run);
      const { state, messages } = keys.run(run);
      const places = [...hashes(tenant), state, messages];
      await runScript(connection, measureScript, { keys: places, args: [tenant, ownerOfMessages(run)] });
    },
    async forget(run) {
      const tenant = tenantOf(run);
      const args = [tenant, ownerOfRun(run), 0, ownerOfMessages(run), 0];
      await count([...hashes(tenant), keys.run(run).contents], args);
    },
    async tenants() {
      const tenants = (await connection.smembers(keys.storedTenants)).sort();
      return Promise.all(tenants.map(async (tenant) => ({ tenant, bytes: await total(tenant) })));
    },
    async *owners(tenant) {
      const found = connection.hscanStream(keys.stored(tenant), { count: 1000 });
      for await (const fields of found as AsyncIterable<string[]>)
        for (let at = 0; at < fields.length; at += 2) if (fields[at] !== '') yield fields[at] ?? '';
    },
  };
}

const finite = (most: number): number => Math.min(most, Number.MAX_SAFE_INTEGER);

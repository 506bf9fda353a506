import type { RunId, TenantId } from '@millrace/core';
import { tenantOf } from '@millrace/core';
import type { BytesChange, StoredBytes } from '../../../ports/store/stored-bytes.ts';
import { ownerOfMessages, ownerOfRun } from '../../../ports/store/stored-bytes.ts';

/** Creates the stored bytes of tenants in this process only; `messagesOf` returns the size of the messages of a run. */
export function createLocalStoredBytes(messagesOf: (run: RunId) => number = () => 0): StoredBytes {
  const tenants = new Map<TenantId, Map<string, number>>();
  const contentsByRun = new Map<RunId, Map<string, number>>();
  const sumOf = (tenant: TenantId): number =>
    [...(tenants.get(tenant)?.values() ?? [])].reduce((sum, bytes) => sum + bytes, 0);

  function set(tenant: TenantId, owner: string, { bytes, most, instead }: BytesChange): boolean {
    const owners = tenants.get(tenant) ?? new Map<string, number>();
    const change = bytes - (owners.get(owner) ?? 0) - (owners.get(instead ?? '') ?? 0);
    if (change > 0 && sumOf(tenant) + change > most) return false;
    if (instead !== undefined) owners.delete(instead);
    if (bytes > 0) owners.set(owner, bytes);
    else owners.delete(owner);
    if (owners.size > 0) tenants.set(tenant, owners);
    else tenants.delete(tenant);
    return true;
  }

  return {
    set: async (tenant, owner, change) => set(tenant, owner, { ...change, bytes: Math.max(change.bytes, 0) }),
    async add(run, contents, most) {
      const tenant = tenantOf(run);
      const owner = ownerOfRun(run);
      const known = contentsByRun.get(run) ?? new Map<string, number>();
      const added = contents.filter(({ digest, size }) => size > 0 && !known.has(digest));
      const bytes = added.reduce((sum, { size }) => sum + size, tenants.get(tenant)?.get(owner) ?? 0);
      if (!set(tenant, owner, { bytes, most })) return false;
      contentsByRun.set(run, new Map([...known, ...added.map(({ digest, size }) => [digest, size] as const)]));
      return true;
    },
    async remove(run, digests) {
      const tenant = tenantOf(run);
      const owner = ownerOfRun(run);
      const known = contentsByRun.get(run);
      for (const digest of digests) {
        const bytes = (tenants.get(tenant)?.get(owner) ?? 0) - (known?.get(digest) ?? 0);
        if (known?.delete(digest) === true) set(tenant, owner, { bytes, most: 0 });
      }
    },
    async measure(run) {
      set(tenantOf(run), ownerOfMessages(run), { bytes: messagesOf(run), most: Number.POSITIVE_INFINITY });
    },
    async forget(run) {
      contentsByRun.delete(run);
      for (const owner of [ownerOfRun(run), ownerOfMessages(run)]) set(tenantOf(run), owner, { bytes: 0, most: 0 });
    },
    total: async (tenant) => sumOf(tenant),
    tenants: async () => [...tenants.keys()].sort().map((tenant) => ({ tenant, bytes: sumOf(tenant) })),
    async *owners(tenant) {
      yield* tenants.get(tenant)?.keys() ?? [];
    },
  };
}

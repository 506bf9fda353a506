import type { TenantId } from '@millrace/core';
import type { Store } from '../../ports/store/port.ts';
import type { BytesOwner } from '../../ports/store/stored-bytes.ts';
import type { StoredFile } from '../../resources/files.ts';
import { filesRegister } from '../../resources/files.ts';
import { isAbandonedUpload, ownerOfFile } from '../../resources/upload.ts';

/** Time for which an owner must not exist before its bytes are taken back: bytes are counted before their owner is stored. */
const goneForMs = 60 * 60_000;

/** What the counted bytes are compared in. */
interface Sweep {
  readonly store: Pick<Store, 'endOf' | 'now' | 'registry' | 'stored'>;
  readonly report: (message: string, error: unknown) => void;
  /** When each owner that does not exist was first seen so, by tenant and owner. */
  readonly gone: Map<string, number>;
}

/**
 * Returns an action that compares the counted bytes with what exists, for processes that died in between: takes back those of
 * owners that have not existed for an hour, and counts files that are not. A run that cannot be read keeps its bytes, and is
 * reported. Tables of batches are looked after by those who create them.
 */
export function sweepStoredBytes(
  store: Sweep['store'],
  report: Sweep['report'],
): (signal: AbortSignal) => Promise<void> {
  const sweep: Sweep = { store, report, gone: new Map() };
  return async (signal) => {
    await takeBackAbandoned(sweep, signal);
    for (const register of await store.registry.named(filesRegister)) {
      if (signal.aborted) return;
      await countFiles(store, register.slice(filesRegister.length));
    }
  };
}

async function takeBackAbandoned(sweep: Sweep, signal: AbortSignal): Promise<void> {
  const { store, report, gone } = sweep;
  const seen = new Set<string>();
  for (const { tenant } of await store.stored.tenants()) {
    for await (const owner of store.stored.owners(tenant)) {
      if (signal.aborted) return;
      seen.add(`${tenant}/${owner}`);
      try {
        await takeBackIfGone(sweep, tenant, owner);
      } catch (error) {
        report(`the stored bytes of ${owner} could not be compared with what exists; trying again`, error);
      }
    }
  }
  for (const owner of gone.keys()) if (!seen.has(owner)) gone.delete(owner);
}

async function takeBackIfGone({ store, gone }: Sweep, tenant: TenantId, owner: string): Promise<void> {
  const [, kind, id = ''] = /^(run|messages|file|upload)\/(.+)$/s.exec(owner) ?? [];
  if (kind === 'upload') {
    if (isAbandonedUpload(owner, store.now())) await takeBack(store, tenant, owner as BytesOwner); // its kind is known
    return;
  }
  if (kind === undefined) return;
  const isOfRun = kind === 'run' || kind === 'messages';
  const exists = isOfRun
    ? (await store.endOf(id)).type !== 'absent'
    : (await store.registry.read(`${filesRegister}${tenant}`, id)) !== undefined;
  const key = `${tenant}/${owner}`;
  if (exists) return void gone.delete(key);
  const since = gone.get(key) ?? store.now();
  gone.set(key, since);
  if (store.now() - since < goneForMs) return;
  if (isOfRun) await store.stored.forget(id);
  else await takeBack(store, tenant, ownerOfFile(id));
  gone.delete(key);
}

const pageSize = 1000;

/** Counts the uploaded files of a tenant that are not. */
async function countFiles({ registry, stored }: Sweep['store'], tenant: TenantId): Promise<void> {
  const counted = new Set<string>();
  for await (const owner of stored.owners(tenant)) counted.add(owner);
  for (let after = ''; ; ) {
    const entries = await registry.page(`${filesRegister}${tenant}`, after, pageSize);
    for (const { id, json } of entries) {
      const { size: bytes } = JSON.parse(json) as StoredFile; // written by those who add files
      if (!counted.has(ownerOfFile(id)))
        await stored.set(tenant, ownerOfFile(id), { bytes, most: Number.POSITIVE_INFINITY });
    }
    after = entries.at(-1)?.id ?? '';
    if (entries.length < pageSize) return;
  }
}

/** Takes back the bytes of an owner that was removed. */
export const takeBack = ({ stored }: Pick<Store, 'stored'>, tenant: TenantId, owner: BytesOwner): Promise<boolean> =>
  stored.set(tenant, owner, { bytes: 0, most: 0 });

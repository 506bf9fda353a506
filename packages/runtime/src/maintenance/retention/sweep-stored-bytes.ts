import type { RunId, TenantId } from '@millrace/core';
import type { Store } from '../../ports/store/port.ts';
import type { BytesOwner } from '../../ports/store/stored-bytes.ts';
import type { StoredFile } from '../../resources/files.ts';
import { filesRegister } from '../../resources/files.ts';
import { isAbandonedUpload, ownerOfFile } from '../../resources/upload.ts';

/**
 * Compares the counted bytes with what exists, for processes that died in between: takes back those of owners that do not exist,
 * and counts files that are not. `runs` are known to exist. Tables of batches are looked after by those who create them.
 */
export async function sweepStoredBytes(store: Store, runs: ReadonlySet<RunId>, signal: AbortSignal): Promise<void> {
  await takeBackAbandoned(store, runs, signal);
  for (const register of await store.registry.named(filesRegister)) {
    if (signal.aborted) return;
    await countFiles(store, register.slice(filesRegister.length));
  }
}

async function takeBackAbandoned(store: Store, runs: ReadonlySet<RunId>, signal: AbortSignal): Promise<void> {
  for (const { tenant } of await store.stored.tenants()) {
    for await (const owner of store.stored.owners(tenant)) {
      if (signal.aborted) return;
      await takeBackIfGone(store, { tenant, owner, runs });
    }
  }
}

interface CountedOwner {
  readonly tenant: TenantId;
  readonly owner: string;
  readonly runs: ReadonlySet<RunId>;
}

async function takeBackIfGone(store: Store, { tenant, owner, runs }: CountedOwner): Promise<void> {
  const [, kind, id = ''] = /^(run|file|upload)\/(.+)$/s.exec(owner) ?? [];
  if (kind === 'run') {
    if (!runs.has(id) && (await store.load(id)) === undefined) await store.stored.forget(id);
    return;
  }
  const isGone =
    kind === 'file'
      ? (await store.registry.read(`${filesRegister}${tenant}`, id)) === undefined
      : isAbandonedUpload(owner, store.now());
  if (isGone) await takeBack(store, tenant, owner as BytesOwner); // it is of no run
}

const pageSize = 1000;

/** Counts the uploaded files of a tenant that are not. */
async function countFiles({ registry, stored }: Store, tenant: TenantId): Promise<void> {
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

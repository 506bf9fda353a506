import { randomUUID } from 'node:crypto';
import type { TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Store } from '../ports/store/port.ts';

/*
 * The bytes that a tenant has uploaded. An upload reserves bytes while it arrives, before they are stored, so that uploads at the same
 * time cannot exceed the limit together. Its reservation becomes stored bytes once its file is registered, and ends by itself if
 * its process dies. The sweep of files takes the bytes of removed files back.
 */

/** The account of the uploads of one tenant. */
export interface UploadAccount {
  /** Returns the bytes that are stored, and those of uploads in progress. */
  total(): Promise<number>;
  /** Begins an upload. */
  begin(): Upload;
  /** Takes back the bytes of a file that was removed. */
  remove(bytes: number): Promise<void>;
}

/** One upload in progress. */
export interface Upload {
  /** Reserves room for so many bytes in all. Throws RequestError, UPLOADS_FULL, if the tenant may not store as many. */
  reserve(bytes: number): Promise<void>;
  /** Ends the upload; `bytes` of it are stored for good, none if it has failed or the file existed. */
  end(bytes: number): Promise<void>;
}

/** The register with one account for each tenant. */
const uploadAccounts = 'uploads';

/** Time after which a reservation has ended, in milliseconds; far longer than an upload takes. */
const reservedForMs = 60 * 60_000;
/** Bytes that are reserved at a time. */
const stepBytes = 4 * 1024 * 1024;

interface Account {
  readonly bytes: number;
  readonly pending: Readonly<Record<string, { readonly bytes: number; readonly until: number }>>;
}

/** Opens the account of a tenant that may store `limit` bytes. */
export function createUploadAccount(
  { registry, now }: Pick<Store, 'registry' | 'now'>,
  tenant: TenantId,
  limit: number,
): UploadAccount {
  async function read(): Promise<{ readonly before: string | undefined; readonly account: Account }> {
    const before = await registry.read(uploadAccounts, tenant);
    // Written by `change`.
    const { bytes, pending }: Account = before === undefined ? { bytes: 0, pending: {} } : JSON.parse(before);
    const living = Object.entries(pending).filter(([, { until }]) => until > now());
    return { before, account: { bytes, pending: Object.fromEntries(living) } };
  }
  async function change(next: (account: Account) => Account): Promise<void> {
    for (;;) {
      const { before, account } = await read();
      const after = JSON.stringify(next(account));
      if (await registry.exchange(uploadAccounts, tenant, { before, after })) return;
    }
  }
  return {
    total: async () => totalOf((await read()).account),
    begin() {
      const id = randomUUID();
      let reserved = 0;
      return {
        async reserve(bytes) {
          if (bytes <= reserved) return;
          await change((account) => {
            const free = limit - totalOf(account) + reserved;
            if (bytes > free) throw full(limit);
            const wanted = Math.min(free, bytes + stepBytes);
            return {
              ...account,
              pending: { ...account.pending, [id]: { bytes: wanted, until: now() + reservedForMs } },
            };
          });
          reserved = (await read()).account.pending[id]?.bytes ?? bytes;
        },
        end: (bytes) =>
          change(({ bytes: stored, pending: { [id]: _mine, ...pending } }) => ({ bytes: stored + bytes, pending })),
      };
    },
    remove: (bytes) => change(({ bytes: stored, ...account }) => ({ ...account, bytes: Math.max(0, stored - bytes) })),
  };
}

/** The bytes of the uploads of a tenant. */
export interface TenantUploads {
  readonly tenant: TenantId;
  readonly bytes: number;
}

/** Returns the bytes of the uploads of all tenants that have any. */
export async function listUploads(store: Pick<Store, 'registry' | 'now'>): Promise<readonly TenantUploads[]> {
  const found: TenantUploads[] = [];
  for (let after = ''; ; ) {
    const page = await store.registry.page(uploadAccounts, after, pageSize);
    for (const { id: tenant } of page) {
      const bytes = await createUploadAccount(store, tenant, 0).total();
      if (bytes > 0) found.push({ tenant, bytes });
    }
    after = page.at(-1)?.id ?? '';
    if (page.length < pageSize) return found;
  }
}

const pageSize = 1000;

const totalOf = ({ bytes, pending }: Account): number =>
  Object.values(pending).reduce((sum, reserved) => sum + reserved.bytes, bytes);

const full = (limit: number): RequestError =>
  new RequestError(
    'UPLOADS_FULL',
    `The tenant may store ${limit.toLocaleString('en')} bytes of uploaded files, and has no room for this one. Wait until unused files are removed, or raise MILLRACE_MAX_UPLOADS_MB of the server.`,
  );

import { randomUUID } from 'node:crypto';
import type { TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import { storageFull } from '../blobs/run-contents.ts';
import type { Store } from '../ports/store/port.ts';
import type { BytesOwner } from '../ports/store/stored-bytes.ts';

/** A file that arrives. Bytes are reserved before they are stored, so that uploads at the same time cannot exceed the limit together. */
export interface Upload {
  /** Reserves room for so many bytes in all. Throws RequestError, STORAGE_FULL, if the tenant may not store as many. */
  reserve(bytes: number): Promise<void>;
  /** Ends the upload: its bytes belong to a file from now on. */
  keep(file: string, bytes: number): Promise<void>;
  /** Ends the upload, which has failed, or whose file existed. */
  drop(): Promise<void>;
}

/** Bytes that are reserved at a time. */
const stepBytes = 4 * 1024 * 1024;

/** Time after which an upload that has not ended belongs to a process that died, in milliseconds. */
const longestMs = 60 * 60_000;

/** Begins an upload of a tenant that may store `most` bytes. */
export function beginUpload({ stored, now }: Pick<Store, 'stored' | 'now'>, tenant: TenantId, most: number): Upload {
  const owner = `upload/${Math.trunc(now())}-${randomUUID()}` as const;
  let reserved = 0;
  const reserve = async (bytes: number): Promise<boolean> => {
    if (!(await stored.set(tenant, owner, { bytes, most }))) return false;
    reserved = bytes;
    return true;
  };
  return {
    async reserve(bytes) {
      if (bytes <= reserved || (await reserve(bytes + stepBytes)) || (await reserve(bytes))) return;
      throw new RequestError('STORAGE_FULL', storageFull(most, 'for this file'));
    },
    async keep(file, bytes) {
      await stored.set(tenant, ownerOfFile(file), { bytes, most: Number.POSITIVE_INFINITY, instead: owner });
    },
    async drop() {
      await stored.set(tenant, owner, { bytes: 0, most });
    },
  };
}

/** Returns the name under which a file owns bytes. */
export const ownerOfFile = (id: string): BytesOwner => `file/${id}`;

/** Returns whether an owner is an upload whose process died. */
export const isAbandonedUpload = (owner: string, now: number): boolean =>
  Number(/^upload\/(\d+)-/.exec(owner)?.[1] ?? now) + longestMs < now;

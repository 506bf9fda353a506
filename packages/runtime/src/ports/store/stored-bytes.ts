import type { RunId, TenantId } from '@millrace/core';

/*
 * The bytes that each tenant has stored: uploaded files, contents and messages of runs, and tables of batches. Equal contents are kept once,
 * but count for each owner that has them: an owner's share does not depend on what others have, and does not reveal it. Bytes are
 * counted before they are stored, so that those who store at the same time cannot exceed a limit together, and taken back
 * when their owner is removed. A process that dies in between leaves bytes that count too much, never too little, until an
 * hourly sweep compares them with what exists.
 */

/** Digest and size in bytes of stored content. */
export interface StoredContent {
  readonly digest: string;
  readonly size: number;
}

/** An owner of bytes beside runs: an uploaded file, an upload in progress, or the table of a batch. */
export type BytesOwner = `file/${string}` | `upload/${string}` | `batch/${string}`;

/** A change of the bytes of an owner. */
export interface BytesChange {
  /** Bytes that the owner has from now on; 0: none. */
  readonly bytes: number;
  /** Maximum for the tenant; nothing changes if it would have more than before and more than this. */
  readonly most: number;
  /** An owner that is removed in the same step. */
  readonly instead?: BytesOwner;
}

/** Bytes of a tenant. */
export interface TenantBytes {
  readonly tenant: TenantId;
  readonly bytes: number;
}

/** Counts the stored bytes of tenants. */
export interface StoredBytes {
  /** Sets the bytes of an owner; returns whether there is room for them. */
  set(tenant: TenantId, owner: BytesOwner, change: BytesChange): Promise<boolean>;
  /** Adds contents to those of a run, each digest once; returns whether there is room for all of them, otherwise none is added. */
  add(run: RunId, contents: readonly StoredContent[], most: number): Promise<boolean>;
  /** Takes back contents of a run that were deleted before anything referred to them. */
  remove(run: RunId, digests: readonly string[]): Promise<void>;
  /** Counts the messages that the store itself has of a run, in place of what was counted of them before. */
  measure(run: RunId): Promise<void>;
  /** Takes back the bytes of a run that was removed. */
  forget(run: RunId): Promise<void>;
  total(tenant: TenantId): Promise<number>;
  /** Returns the tenants that have any, in the order of their names. */
  tenants(): Promise<readonly TenantBytes[]>;
  /** Returns the owners of bytes of a tenant; those of a run are {@link ownerOfRun} and {@link ownerOfMessages}. */
  owners(tenant: TenantId): AsyncIterable<string>;
}

/** Returns the name of the owner that a run is. */
export const ownerOfRun = (run: RunId): `run/${string}` => `run/${run}`;

/** Returns the name of the owner of the short messages of a run. */
export const ownerOfMessages = (run: RunId): `messages/${string}` => `messages/${run}`;

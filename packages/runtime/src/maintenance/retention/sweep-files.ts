import { randomUUID } from 'node:crypto';
import type { RunId } from '@millrace/core';
import type { Blobs } from '../../ports/blobs.ts';
import type { Store } from '../../ports/store/port.ts';
import { fileSweep } from '../../ports/store/registry.ts';
import { awaitedUploads } from '../../resources/awaited-uploads.ts';
import type { StoredFile } from '../../resources/files.ts';
import { filesRegister, lastUseOf } from '../../resources/files.ts';
import { ownerOfFile } from '../../resources/upload.ts';
import { takeBack } from './sweep-stored-bytes.ts';

/*
 * Equal contents are shared, so no single owner knows whether they can be deleted. From time to time one process reads
 * everything that refers to contents. Contents without a reference are deleted if they were put, or touched by a caller
 * that was about to refer to them, longer ago than `keepMs` before the sweep began: a reference that follows such a
 * touch has been committed by then, or never will be. A run that begins meanwhile is read, too, so that a fork keeps
 * the contents of the run that it comes from.
 */

/** Options of the sweep of files. */
export interface FileSweepOptions {
  readonly store: Store;
  readonly blobs: Blobs;
  /** Retention of unreferenced contents and unused uploads, in milliseconds; at least an hour, except in tests. */
  readonly keepMs: number;
}

const sweepEveryMs = 6 * 60 * 60_000;

/** Deletes contents whose retention has ended, unless another process has swept a short time ago. */
export async function sweepFiles(sweep: FileSweepOptions, signal: AbortSignal): Promise<void> {
  const everyMs = Math.max(1, Math.min(sweep.keepMs, sweepEveryMs));
  const { registry } = sweep.store;
  const mark = randomUUID();
  if ((await registry.hold(fileSweep, mark, everyMs)) !== undefined) return;
  await sweepFilesNow(sweep, signal);
  // A process that stops has not read everything; the next one starts again.
  if (signal.aborted) await registry.swap(fileSweep, { before: mark });
}

/** Sweeps now. An unreadable content ends the sweep before anything is deleted. */
export async function sweepFilesNow(sweep: FileSweepOptions, signal: AbortSignal): Promise<void> {
  const { store, blobs, keepMs } = sweep;
  const began = performance.now();
  const unneeded = new Set<string>();
  for await (const digest of blobs.idle(keepMs)) {
    if (signal.aborted) return;
    unneeded.add(digest);
  }
  const retain: Retain = (text) => {
    for (const [digest] of text.matchAll(/[0-9a-f]{64}/g)) unneeded.delete(digest);
  };
  await retainUploads(sweep, retain);
  await retainFilesOfRuns(store, retain, signal);
  for (const digest of unneeded) {
    if (signal.aborted) return;
    await blobs.deleteIdle(digest, keepMs + performance.now() - began);
  }
}

/** Retains the contents whose digests are in a text. */
type Retain = (text: string) => void;

const batchSize = 200;

/** Deletes the entries of uploads that were unused for long, and keeps the contents of all others. */
async function retainUploads({ store, keepMs }: FileSweepOptions, retain: Retain): Promise<void> {
  const { registry } = store;
  const awaited = await awaitedUploads(store);
  const until = store.now() - keepMs;
  for (const register of await registry.named(filesRegister)) {
    const tenant = register.slice(filesRegister.length);
    for (let after = ''; ; ) {
      const entries = await registry.page(register, after, batchSize);
      for (const { id, json } of entries) {
        const file = JSON.parse(json) as StoredFile; // written by those who add files
        const isOld = lastUseOf(file) <= until;
        const isGone =
          isOld && !awaited.has(id) && (await registry.exchange(register, id, { before: json, after: undefined }));
        if (isGone) await takeBack(store, tenant, ownerOfFile(id));
        else retain(json);
      }
      after = entries.at(-1)?.id ?? '';
      if (entries.length < batchSize) break;
    }
  }
}

/** Retains the contents of all runs. */
async function retainFilesOfRuns(store: Store, retain: Retain, signal: AbortSignal): Promise<void> {
  const seen = new Set<RunId>();
  for (let before = -1; before < seen.size; ) {
    before = seen.size;
    for await (const run of store.retention.all()) {
      if (signal.aborted) return;
      if (seen.has(run)) continue;
      seen.add(run);
      await retainFilesOfRun(store, run, retain);
    }
  }
}

async function retainFilesOfRun(store: Store, run: RunId, retain: Retain): Promise<void> {
  try {
    for await (const text of store.retention.writings(run)) retain(text);
  } catch (error) {
    // A run that is removed meanwhile takes its journal along.
    if ((await store.load(run)) !== undefined) throw error;
  }
}

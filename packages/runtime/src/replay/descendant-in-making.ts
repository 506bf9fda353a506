import type { RunId } from '@millrace/core';
import { digestOf } from '../blobs/digest.ts';
import { blobsForRun } from '../blobs/run-contents.ts';
import type { CopyProgress } from '../contract/runs.ts';
import { blobsOfRun } from '../journal/archive/segment.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { DescendantContext } from './descendant-context.ts';

/** A replay or fork before its first commit. */
export interface DescendantInMaking {
  /** The new run. */
  readonly run: RunId;
  readonly copies: RunCopies;
  readonly onProgress: OnProgress;
}

/** Is told how far the history of a run is copied. */
export type OnProgress = (progress: CopyProgress) => void;

/** The blobs of a run that its first commit will name, each counted for its tenant. */
export interface RunCopies extends Pick<Blobs, 'get' | 'put'> {
  /** Deletes those that were put and that the run, as it is stored, does not name. */
  drop(): Promise<void>;
}

/** Returns the blobs of a run that begins. */
export function copiesFor({ store, blobs, cache }: DescendantContext, run: RunId): RunCopies {
  const counted = blobsForRun({ store, blobs, limits: cache.limits }, run);
  const written: string[] = [];
  return {
    get: (digest) => blobs.get(digest),
    put(bytes, digest = digestOf(bytes)) {
      // Counted first: what cannot be stored is dropped, too.
      written.push(digest);
      return counted.put(bytes, digest);
    },
    async drop() {
      if (written.length === 0) return;
      const there = await cache.fresh(run, () => false);
      const named = new Set(there === undefined ? [] : blobsOfRun(there.state));
      const unneeded = written.filter((digest) => !named.has(digest));
      await Promise.all(unneeded.map((digest) => blobs.delete(digest)));
      await store.stored.remove(run, unneeded);
    },
  };
}

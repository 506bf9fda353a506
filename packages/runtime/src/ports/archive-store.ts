import type { RunId } from '@millrace/core';

/** Store of archived runs, each under its id. */
export interface ArchiveStore {
  /** Stores the archive of a run for good; replaces one of the same run. */
  put(run: RunId, pieces: AsyncIterable<Uint8Array>): Promise<void>;
}

/** Returns the name of an archived run. Callers choose ids, too; an id must not name a path outside of the directory. */
export const archiveName = (run: RunId): string => `${encodeURIComponent(run)}.jsonl`;

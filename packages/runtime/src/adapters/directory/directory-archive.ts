import { join } from 'node:path';
import type { ArchiveStore } from '../../ports/archive-store.ts';
import { archiveName } from '../../ports/archive-store.ts';
import { removeOldDrafts, writeWhole } from './write-whole.ts';

/** Time after which a draft that nobody writes to was left behind, in milliseconds. */
const oldDraftMs = 24 * 60 * 60_000;

/** Stores archives as files of a directory. */
export function createDirectoryArchive(directory: string): ArchiveStore {
  const drafts = join(directory, 'drafts');
  return {
    async put(run, pieces) {
      await removeOldDrafts(drafts, oldDraftMs);
      await writeWhole(join(directory, archiveName(run)), drafts, async (file) => {
        for await (const piece of pieces) await file.appendFile(piece);
      });
    },
  };
}

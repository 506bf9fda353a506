import { join } from 'node:path';
import type { ArchiveStore } from '../../ports/archive-store.ts';
import { archiveName } from '../../ports/archive-store.ts';
import { writeWhole } from './write-whole.ts';

/** Stores archives as files of a directory. */
export const createDirectoryArchive = (directory: string): ArchiveStore => ({
  put: (run, pieces) =>
    writeWhole(join(directory, archiveName(run)), join(directory, 'drafts'), async (file) => {
      for await (const piece of pieces) await file.appendFile(piece);
    }),
});

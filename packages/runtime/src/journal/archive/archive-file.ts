import { createReadStream } from 'node:fs';

/** File or object with an archived run. */
export interface ArchiveFile {
  /** Name for messages. */
  readonly name: string;
  open(): AsyncIterable<Uint8Array>;
}

/** Returns the archived run in a file of this machine. */
export const localArchive = (path: string): ArchiveFile => ({ name: path, open: () => createReadStream(path) });

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join, sep } from 'node:path';
import type { FileStat } from './scan.ts';

interface DigestEntry {
  readonly stat: FileStat;
  readonly digest: string;
}

/**
 * Digests of the files of workspaces, so that files that have not changed are not read again.
 * It is never wrong, only incomplete: a file whose size or times differ is read.
 */
export class DigestCache {
  readonly #directories = new Map<string, Map<string, DigestEntry>>();
  readonly #limit: number;

  /** Keeps the digests of at most this many directories, those used last. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the sha256 of a file in hex, which is read only when its size or times have changed. */
  async digestOf(directory: string, path: string, stat: FileStat): Promise<string> {
    const known = this.#in(directory).get(path);
    if (known !== undefined && isSame(known.stat, stat)) return known.digest;
    const hash = createHash('sha256');
    for await (const piece of createReadStream(join(directory, path))) hash.update(piece);
    const digest = hash.digest('hex');
    this.set(directory, path, { stat, digest });
    return digest;
  }

  /** Stores the digest of a file with this size and these times. */
  set(directory: string, path: string, known: DigestEntry): void {
    this.#in(directory).set(path, known);
  }

  /** Forgets a removed directory. */
  forget(directory: string): void {
    this.#directories.delete(directory);
  }

  /** Forgets the removed directories below one. */
  forgetBelow(folder: string): void {
    for (const directory of this.#directories.keys())
      if (directory.startsWith(`${folder}${sep}`)) this.#directories.delete(directory);
  }

  #in(directory: string): Map<string, DigestEntry> {
    const known = this.#directories.get(directory) ?? new Map<string, DigestEntry>();
    this.#directories.delete(directory);
    this.#directories.set(directory, known);
    const oldest = this.#directories.keys().next();
    if (this.#directories.size > this.#limit && !oldest.done) this.#directories.delete(oldest.value);
    return known;
  }
}

const isSame = (a: FileStat, b: FileStat): boolean =>
  a.size === b.size && a.inode === b.inode && a.modifiedAt === b.modifiedAt && a.changedAt === b.changedAt;

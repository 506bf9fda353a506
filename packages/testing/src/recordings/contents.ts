import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '@millrace/runtime';
import type { NewContent, RecordedLine } from './archive-text.ts';
import { contentsIn, readLines, withContents } from './archive-text.ts';
import type { Mask } from './mask.ts';

/** Returns the folder with the contents of a recording, which are named by their digests. */
export const contentsFolder = (recording: string): string => `${recording.replace(/\.jsonl$/, '')}.files`;

/** Stores the contents of a recording where it is replayed. */
export async function bringContents(blobs: Pick<Runtime['blobs'], 'put'>, recording: string): Promise<void> {
  const folder = contentsFolder(recording);
  for (const name of await readdir(folder).catch(() => [])) await blobs.put(await readFile(join(folder, name)));
}

/** Returns the contents that an archive of a run refers to, by their digests, as far as they can be read. */
export async function contentsOf(
  archive: string,
  read: (digest: string) => Promise<Uint8Array | undefined>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const contents = new Map<string, Uint8Array>();
  for (const digest of contentsIn(readLines(archive))) {
    const bytes = await read(digest);
    if (bytes !== undefined) contents.set(digest, bytes);
  }
  return contents;
}

/** A recording with its contents, after both were masked. */
export interface MaskedContents {
  readonly lines: readonly RecordedLine[];
  /** Bytes by their digests. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
  /** Digests of contents that could not be read. */
  readonly missing: readonly string[];
}

/** Masks texts among the contents of a recording, which then have other digests. */
export async function maskContents(
  lines: readonly RecordedLine[],
  read: (digest: string) => Promise<Uint8Array | undefined>,
  mask: Mask | undefined,
): Promise<MaskedContents> {
  const contents = new Map<string, Uint8Array>();
  const changed = new Map<string, NewContent>();
  const missing: string[] = [];
  for (const digest of contentsIn(lines)) {
    const bytes = await read(digest);
    if (bytes === undefined) {
      missing.push(digest);
      continue;
    }
    const masked = mask === undefined ? bytes : maskedBytes(bytes, mask);
    const fresh = createHash('sha256').update(masked).digest('hex');
    contents.set(fresh, masked);
    if (fresh !== digest) changed.set(digest, { digest: fresh, size: masked.length });
  }
  return { lines: withContents(lines, changed), contents, missing };
}

/** Returns a text without what a mask hides; other contents as they are. */
function maskedBytes(bytes: Uint8Array, mask: Mask): Uint8Array {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const hidden = mask.hide(text);
    return hidden === text ? bytes : Buffer.from(hidden);
  } catch {
    return bytes;
  }
}

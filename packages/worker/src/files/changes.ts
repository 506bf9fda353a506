import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileChange, FileVersion } from '@millrace/core';
import { attachmentFolder } from '@millrace/core';
import { limits, scan, tooMuch } from './scan.ts';
import type { Site } from './sync-files.ts';

/**
 * What has become of files since they were as in `before`, by path. New contents are among the blobs when this returns.
 * What people attached is not the programs' to change; it is as it was the next time.
 */
export async function changesSince(
  { directory, blobs, digests }: Site,
  before: ReadonlyMap<string, FileVersion>,
): Promise<readonly FileChange[]> {
  const seen = await scan(directory, limits.files);
  const changes: FileChange[] = [];
  let total = 0;
  for (const [path, sight] of [...seen].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isAttached(path)) continue;
    total += sight.size;
    if (sight.size > limits.file)
      throw tooMuch(`has the file "${path}" of ${bytesOf(sight.size)}; a file may have ${bytesOf(limits.file)}`);
    if (total > limits.total) throw tooMuch(`has more than ${bytesOf(limits.total)}`);
    const digest = await digests.of(directory, path, sight);
    if (digest === before.get(path)?.digest) continue;
    // Read once more, and only when it is new: what counts is what is put.
    const bytes = await readFile(join(directory, path));
    const put = await blobs.put(bytes);
    changes.push({ path, file: { digest: put, size: bytes.length, modifiedAt: sight.modifiedAt } });
  }
  for (const path of before.keys()) if (!seen.has(path) && !isAttached(path)) changes.push({ path });
  return changes;
}

const isAttached = (path: string): boolean => path.startsWith(`${attachmentFolder}/`);

const bytesOf = (size: number): string => `${size.toLocaleString('en')} bytes`;

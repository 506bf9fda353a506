import { join } from 'node:path';
import { readFileUpTo } from '@millrace/catalog';
import type { FileChange, FileVersion } from '@millrace/core';
import { attachmentFolder } from '@millrace/core';
import { scan, workspaceLimits, workspaceTooLarge } from './scan.ts';
import type { SyncTarget } from './sync-files.ts';

/**
 * Returns the changes of files since `before`, by path. New contents are among the blobs when this returns. Programs cannot
 * change attachments of people; those are restored the next time.
 */
export async function changesSince(
  { directory, blobs, digests }: SyncTarget,
  before: ReadonlyMap<string, FileVersion>,
): Promise<readonly FileChange[]> {
  const seen = await scan(directory, workspaceLimits.files);
  const changes: FileChange[] = [];
  let total = 0;
  for (const [path, stat] of [...seen].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isAttached(path)) continue;
    total += stat.size;
    if (stat.size > workspaceLimits.file) throw fileTooLarge(path);
    if (total > workspaceLimits.total) throw workspaceTooLarge(`has more than ${bytesOf(workspaceLimits.total)}`);
    const digest = await digests.digestOf(directory, path, stat);
    if (digest === before.get(path)?.digest) continue;
    // Read once more, and only when it is new: the content that is stored is the one that counts.
    const bytes = await readFileUpTo(join(directory, path), workspaceLimits.file);
    if (bytes === undefined) throw fileTooLarge(path);
    const put = await blobs.put(bytes);
    changes.push({ path, file: { digest: put, size: bytes.length, modifiedAt: stat.modifiedAt } });
  }
  for (const path of before.keys()) if (!seen.has(path) && !isAttached(path)) changes.push({ path });
  return changes;
}

const isAttached = (path: string): boolean => path.startsWith(`${attachmentFolder}/`);

const fileTooLarge = (path: string) =>
  workspaceTooLarge(`has the file "${path}" with more than ${bytesOf(workspaceLimits.file)}, which a file may have`);

const bytesOf = (size: number): string => `${size.toLocaleString('en')} bytes`;

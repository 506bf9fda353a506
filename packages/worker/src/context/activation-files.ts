import { dirname, join } from 'node:path';
import { readFileUpTo } from '@millrace/catalog';
import type { FileChange, FileVersion, Workspace } from '@millrace/core';
import { attachmentFolder, foldFiles, hasPrivateFiles } from '@millrace/core';
import type { Blobs } from '@millrace/runtime';
import { makeDirectory, pathUnwritable } from '@millrace/runtime';
import { removeTree } from '../files/remove-tree.ts';
import type { FileStat } from '../files/scan.ts';
import {
  assertStorablePaths,
  boundCaches,
  fileStatOf,
  scan,
  workspaceLimits,
  workspaceTooLarge,
} from '../files/scan.ts';
import type { SyncTarget } from '../files/sync-files.ts';
import { syncFiles } from '../files/sync-files.ts';
import { openWorkspace } from '../files/workspace.ts';
import type { ActivationContext } from './activation-context.ts';
import { AttemptInterrupted } from './interrupted.ts';
import type { WorkerContext } from './worker-context.ts';

/** The files that one attempt at an activation works with. */
export interface ActivationFiles {
  /** Each use of it counts as a possible change of files. */
  readonly workspace: Workspace;
  /** Returns the changes since the last call. */
  changes(): Promise<readonly FileChange[]>;
  /** Removes files that are not needed once the result is on its way. */
  dispose(): Promise<void>;
}

/**
 * Brings the workspace of an activation to this machine. Activations that hold the lock of a workspace one after the other
 * share a directory, so mostly there is nothing to bring; a unit that works at the same time as others has its own.
 */
export async function openActivationFiles(
  worker: WorkerContext,
  context: ActivationContext,
  files: ReadonlyMap<string, FileVersion>,
): Promise<ActivationFiles> {
  const { wake, scope, record } = context;
  const shared = worker.folders.workspaceOf(wake.run, context.frame);
  const own = hasPrivateFiles(scope, record);
  const directory = own ? join(dirname(shared), wake.activation, 'code_workspace') : shared;
  const release = await worker.folders.use(wake.run);
  const { blobs } = worker.runs;
  const site: SyncTarget = { directory, blobs, digests: worker.digests, ...(own ? { localSource: shared } : {}) };
  try {
    await syncFiles(site, files);
  } catch (error) {
    await release();
    throw error;
  }
  let before: ReadonlyMap<string, FileVersion> = files;
  let touched = false;
  return {
    workspace: openWorkspace(directory, () => {
      touched = true;
    }),
    async changes() {
      if (!touched) return [];
      touched = false;
      const changes = await changesSince({ ...site, blobs: worker.runs.blobsFor(wake.run) }, before);
      before = foldFiles([...[...before].map(([path, file]) => ({ path, file })), ...changes]);
      return changes;
    },
    async dispose() {
      if (own) {
        worker.digests.forget(directory);
        await removeTree(dirname(directory));
      }
      await release();
    },
  };
}

/** For nodes that use no files: there is a directory, but nothing in it is kept. */
export async function noActivationFiles(
  { folders }: Pick<WorkerContext, 'folders'>,
  { wake, frame }: Pick<ActivationContext, 'wake' | 'frame'>,
): Promise<ActivationFiles> {
  const directory = folders.workspaceOf(wake.run, frame);
  const release = await folders.use(wake.run);
  try {
    await makeDirectory(directory).catch(pathUnwritable(directory));
  } catch (error) {
    await release();
    throw error;
  }
  return { workspace: openWorkspace(directory), changes: async () => [], dispose: release };
}

/** Throws if the directory of a workspace was removed while an attempt uses it. Without it, every file looks removed. */
export async function assertPresent(directory: string): Promise<void> {
  if ((await fileStatOf(directory)) === undefined)
    throw new AttemptInterrupted(`the workspace ${directory} no longer exists`);
}

/**
 * Returns the changes of files since `before`, by path. New contents are among the blobs when this returns. Programs cannot
 * change attachments of people; those are restored the next time.
 */
async function changesSince(
  { directory, blobs, digests }: Pick<SyncTarget, 'directory' | 'digests'> & { readonly blobs: Pick<Blobs, 'put'> },
  before: ReadonlyMap<string, FileVersion>,
): Promise<readonly FileChange[]> {
  const { files: seen, caches, unstorable } = await scan(directory, workspaceLimits.files);
  await assertPresent(directory);
  await assertStorablePaths(directory, unstorable);
  await boundCaches(directory, caches);
  assertSizes(seen, before);
  const changes: FileChange[] = [];
  for (const [path, stat] of [...seen].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isAttached(path)) continue;
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

/** Throws NodeError when a file, or all of them, are too large; the attachments of people do not count. */
function assertSizes(seen: ReadonlyMap<string, FileStat>, before: ReadonlyMap<string, FileVersion>): void {
  let total = 0;
  for (const [path, { size }] of seen) {
    // What a program writes among its attachments is not kept, but takes up the disk.
    if (isAttached(path) && before.get(path)?.size === size) continue;
    total += size;
    if (size > workspaceLimits.file) throw fileTooLarge(path);
    if (total > workspaceLimits.total) throw workspaceTooLarge(`has more than ${bytesOf(workspaceLimits.total)}`);
  }
}

const isAttached = (path: string): boolean => path.startsWith(`${attachmentFolder}/`);

const fileTooLarge = (path: string) =>
  workspaceTooLarge(`has the file "${path}" with more than ${bytesOf(workspaceLimits.file)}, which a file may have`);

const bytesOf = (size: number): string => `${size.toLocaleString('en')} bytes`;

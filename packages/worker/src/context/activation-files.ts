import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileChange, FileVersion, Workspace } from '@millrace/core';
import { foldFiles, hasPrivateFiles, rootScope } from '@millrace/core';
import { changesSince } from '../files/changes.ts';
import type { SyncTarget } from '../files/sync-files.ts';
import { syncFiles } from '../files/sync-files.ts';
import { openWorkspace } from '../files/workspace.ts';
import type { ActivationContext } from './activation-context.ts';
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
  const shared = directoryOf(worker.workspaces, context);
  const own = hasPrivateFiles(scope, record);
  const directory = own ? join(dirname(shared), wake.activation, 'code_workspace') : shared;
  const { blobs } = worker.runs;
  const site: SyncTarget = { directory, blobs, digests: worker.digests, ...(own ? { localSource: shared } : {}) };
  await syncFiles(site, files);
  let before: ReadonlyMap<string, FileVersion> = files;
  let touched = false;
  return {
    workspace: openWorkspace(directory, () => {
      touched = true;
    }),
    async changes() {
      if (!touched) return [];
      touched = false;
      const changes = await changesSince(site, before);
      before = foldFiles([...[...before].map(([path, file]) => ({ path, file })), ...changes]);
      return changes;
    },
    async dispose() {
      if (!own) return;
      worker.digests.forget(directory);
      await rm(dirname(directory), { recursive: true, force: true });
    },
  };
}

/** For nodes that use no files: there is a directory, but nothing in it is kept. */
export const noActivationFiles = (worker: WorkerContext, context: ActivationContext): ActivationFiles => ({
  // Most attempts end without a use of the path.
  get workspace() {
    return openWorkspace(directoryOf(worker.workspaces, context));
  },
  changes: async () => [],
  dispose: async () => undefined,
});

/** The directory of a run's files, one for each execution of a graph: subgraphs have their own, so that parallel calls do not disturb each other. */
function directoryOf(root: string, { wake, frame }: ActivationContext): string {
  const run = encodeURIComponent(wake.run).replaceAll('.', '%2E');
  return join(root, run, ...(frame === rootScope ? [] : [frame]), 'code_workspace');
}

import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { FileChange, FileVersion } from '../../model/workspace.ts';
import type { FilesKey } from '../records/keys.ts';
import type { ActivationRecord, ScopeRecord } from '../records/records.ts';
import type { Draft, StateView } from './state.ts';

/*
 * The files of a workspace are stored as a list of changes, oldest first; folding it gives the files. Changes of an
 * activation are its own until it completes, and the run's from then on. Units that run in parallel each have the files
 * as they were when their fan-out was entered; their changes are joined when it is left, in the order of the units, as
 * their outputs are. So the files that a node finds never depend on which unit was faster.
 */

/** Number of added changes after which the list is checked for compaction. */
const compactionInterval = 256;

/** Returns the files that an activation works with, by path: those of its workspace, and its own changes. */
export function filesOf(
  state: StateView,
  frame: ScopeId,
  activation: ActivationId | undefined,
): ReadonlyMap<string, FileVersion> {
  const own = activation === undefined ? [] : state.list(`changes/${activation}`);
  return foldFiles([...state.list(`files/${frame}`), ...own]);
}

/** Folds changes of files, oldest first, into the files by path. */
export function foldFiles(changes: readonly FileChange[]): ReadonlyMap<string, FileVersion> {
  const files = new Map<string, FileVersion>();
  for (const { path, file } of changes) {
    if (file === undefined) files.delete(path);
    else files.set(path, file);
  }
  return files;
}

/**
 * Adds changes to the files of a workspace, and compacts the list when it has become more than twice as long as needed.
 */
export function addFiles(draft: Draft, frame: ScopeId, changes: readonly FileChange[]): void {
  if (changes.length === 0) return;
  const key: FilesKey = `files/${frame}`;
  const before = draft.size(key);
  draft.append(key, changes);
  if (Math.floor(before / compactionInterval) === Math.floor((before + changes.length) / compactionInterval)) return;
  const files = foldFiles(draft.list(key));
  if (files.size * 2 > draft.size(key)) return;
  draft.trim(key, 0);
  draft.append(
    key,
    Array.from(files, ([path, file]) => ({ path, file })),
  );
}

/** Moves the changes of an activation into its workspace. */
export function mergeActivationFiles(draft: Draft, frame: ScopeId, activation: ActivationId): void {
  const key = `changes/${activation}` as const;
  if (draft.size(key) === 0) return;
  addFiles(draft, frame, draft.list(key));
  draft.trim(key, 0);
}

/** Returns whether an activation runs in parallel with its siblings and therefore works on its own copy of the files. */
export const hasPrivateFiles = (scope: ScopeRecord, { unit }: Pick<ActivationRecord, 'unit'>): boolean =>
  unit !== undefined && (scope.type === 'map' || scope.type === 'tree') && scope.maxParallel > 1;

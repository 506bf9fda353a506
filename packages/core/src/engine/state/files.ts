import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { FileChange, FileVersion } from '../../model/workspace.ts';
import type { FilesKey } from '../records/keys.ts';
import type { ActivationRecord, ScopeRecord } from '../records/records.ts';
import type { Draft, StateView } from './state.ts';

/*
 * The files of a workspace are a list of changes, oldest first: what they come to is what there is. What an activation
 * changes is its own until it completes, and the run's from then on. Units that work at the same time each have the
 * files as they were when their fan-out was entered; what they changed is joined when it is left, in the order of the
 * units, as their outputs are. So what a node finds in its workspace never depends on who was faster.
 */

/** Entries added between two looks at whether the list has become much longer than what it comes to. */
const lookEvery = 256;

/** The files that an activation works with: those of its workspace, and what it has changed in them so far. */
export function filesOf(
  state: StateView,
  frame: ScopeId,
  activation: ActivationId | undefined,
): ReadonlyMap<string, FileVersion> {
  const own = activation === undefined ? [] : state.list(`changes/${activation}`);
  return foldFiles([...state.list(`files/${frame}`), ...own]);
}

/** What changes come to, by path. */
export function foldFiles(changes: readonly FileChange[]): ReadonlyMap<string, FileVersion> {
  const files = new Map<string, FileVersion>();
  for (const { path, file } of changes) {
    if (file === undefined) files.delete(path);
    else files.set(path, file);
  }
  return files;
}

/** Adds changes to the files of a workspace. */
export function addFiles(draft: Draft, frame: ScopeId, changes: readonly FileChange[]): void {
  if (changes.length === 0) return;
  const key: FilesKey = `files/${frame}`;
  const before = draft.size(key);
  draft.append(key, changes);
  if (Math.floor(before / lookEvery) === Math.floor((before + changes.length) / lookEvery)) return;
  const files = foldFiles(draft.list(key));
  if (files.size * 2 > draft.size(key)) return;
  draft.trim(key, 0);
  draft.append(
    key,
    Array.from(files, ([path, file]) => ({ path, file })),
  );
}

/** What an activation has changed belongs to its workspace from now on. */
export function mergeActivationFiles(draft: Draft, frame: ScopeId, activation: ActivationId): void {
  const key = `changes/${activation}` as const;
  if (draft.size(key) === 0) return;
  addFiles(draft, frame, draft.list(key));
  draft.trim(key, 0);
}

/** Whether an activation works at the same time as its siblings, and so on files of its own. */
export const hasPrivateFiles = (scope: ScopeRecord, { unit }: Pick<ActivationRecord, 'unit'>): boolean =>
  unit !== undefined && (scope.type === 'map' || scope.type === 'tree') && scope.maxParallel > 1;

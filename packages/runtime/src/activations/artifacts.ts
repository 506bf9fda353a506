import type {
  ActivationId,
  ArchivedSegment,
  Event,
  FileVersion,
  JournalEntry,
  RunId,
  ScopeId,
  StateView,
} from '@millrace/core';
import { attachmentFolder, filesOf, mimeTypeOf, RequestError, rootScope } from '@millrace/core';
import type { Content } from '../blobs/content.ts';
import { contentOf } from '../blobs/content.ts';
import { digestOf } from '../blobs/digest.ts';
import { endOf } from '../journal/archive/segment.ts';
import { isAfter } from '../journal/read-journal.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Store } from '../ports/store/port.ts';
import { activationEntries } from './activation-entries.ts';

/** A file that a node has written. */
export interface Artifact {
  /** Id of the file within its run, whatever its content. */
  readonly id: string;
  /** From the root of the workspace, with slashes. */
  readonly path: string;
  /** The execution of a graph that the workspace belongs to: `s0`, or a call of a subgraph. */
  readonly workspace: ScopeId;
  readonly node: string;
  readonly activation: ActivationId;
  /** Time of the event, in milliseconds since 1970. */
  readonly at: number;
  /** In bytes. */
  readonly size: number;
  readonly mimeType: string;
  /** SHA-256 digest of the content, which is a blob. */
  readonly digest: string;
}

/**
 * Returns the existing files that the nodes of a run have written, by workspace and path; with an activation, only its
 * files, as it wrote them last. Files that people attached are not included.
 */
export async function artifactsOf(
  store: Store,
  run: RunId,
  { state, activation }: { readonly state: StateView; readonly activation?: ActivationId },
): Promise<readonly Artifact[]> {
  const found =
    activation === undefined
      ? await artifactsInWorkspaces({ store, run, now: { state } })
      : await artifactsOfActivation({ store, run, now: { state } }, activation);
  return found.sort((a, b) => compare(a.workspace, b.workspace) || compare(a.path, b.path));
}

interface StoredRunRef {
  readonly store: Store;
  readonly run: RunId;
  /** The run as of now. */
  readonly now: { readonly state: StateView };
}

async function artifactsOfActivation(place: StoredRunRef, activation: ActivationId): Promise<Artifact[]> {
  const found = new Map<string, Artifact>();
  for await (const { at, event } of activationEntries(place, activation)) {
    if (event.type === 'files.changed') collectArtifacts(found, { ...event, at });
    if (event.type === 'activation.completed') break;
  }
  return [...found.values()];
}

/** Returns the files of completed activations. For a workspace that still exists, its present content counts. */
async function artifactsInWorkspaces(place: StoredRunRef): Promise<Artifact[]> {
  const found = new Map<string, Artifact>();
  const filesOf = workspaceFilesOf(place.now.state);
  for await (const change of completedChanges(place)) collectArtifacts(found, change, filesOf);
  return [...found.values()].filter(({ workspace, path }) => filesOf(workspace)?.has(path) !== false);
}

/** Returns the versions of a file that completed activations have written, the oldest first. */
export async function fileVersionsOf(
  store: Store,
  run: RunId,
  { state, id }: { readonly state: StateView; readonly id: string },
): Promise<readonly Artifact[]> {
  const versions: Artifact[] = [];
  for await (const change of completedChanges({ store, run, now: { state } })) {
    const found = new Map<string, Artifact>();
    collectArtifacts(found, change);
    for (const version of found.values()) if (version.id === id) versions.push(version);
  }
  return versions;
}

/**
 * Yields the changes of files by completed activations, in the order of the completions. Archived parts of the journal without
 * any are not opened.
 */
async function* completedChanges({ store, run, now }: StoredRunRef): AsyncGenerator<FilesChanged> {
  const begun = new Map<ActivationId, FilesChanged[]>();
  const parts = now.state.list('archive/journal');
  for (let after: string | undefined = '0'; after !== undefined; ) {
    // An activation may complete in a later part than the one in which it changed files.
    const from = begun.size === 0 ? behindPartsWithoutFiles(parts, after) : after;
    const entries: readonly JournalEntry[] = await store.journal(run, from, pageSize);
    for (const entry of entries) yield* changesCompletedBy(entry, begun);
    after = entries.at(-1)?.id;
  }
}

/** Returns the changes that an entry completes; notes those that it begins. */
function changesCompletedBy(
  { at, event }: JournalEntry,
  begun: Map<ActivationId, FilesChanged[]>,
): readonly FilesChanged[] {
  if (event.type === 'files.changed') {
    begun.set(event.activation, [...(begun.get(event.activation) ?? []), { ...event, at }]);
    return [];
  }
  if (event.type !== 'activation.completed' && event.type !== 'activation.dropped') return [];
  const changes = begun.get(event.activation) ?? [];
  begun.delete(event.activation);
  return event.type === 'activation.completed' ? changes : [];
}

const pageSize = 1000;

/** Returns the position behind the parts without changes of files that follow a position. */
function behindPartsWithoutFiles(parts: readonly ArchivedSegment[], after: string): string {
  let position = after;
  for (const { to, files } of parts) {
    if (!isAfter(endOf(to), position)) continue;
    if (files) break;
    position = endOf(to);
  }
  return position;
}

type FilesChanged = Extract<Event, { type: 'files.changed' }> & { readonly at: number };

/** Returns the files of a workspace; undefined when the workspace no longer exists. */
type WorkspaceFiles = (workspace: ScopeId) => ReadonlyMap<string, FileVersion> | undefined;

/** Adds the files of a change to those found. When units wrote one file at the same time, the current version counts. */
function collectArtifacts(
  found: Map<string, Artifact>,
  change: FilesChanged,
  filesOf: WorkspaceFiles = () => undefined,
): void {
  const { node, activation, frame, files, at } = change;
  for (const { path, file } of files) {
    const key = `${frame}/${path}`;
    const last = filesOf(frame)?.get(path);
    if (file === undefined) {
      if (last === undefined) found.delete(key);
    } else if (last === undefined || last.digest === file.digest || !found.has(key)) {
      found.set(key, { id: idOf(frame, path), path, workspace: frame, node, activation, at, ...fileFacts(path, file) });
    }
  }
}

function workspaceFilesOf(state: StateView): WorkspaceFiles {
  const known = new Map<ScopeId, ReturnType<WorkspaceFiles>>();
  return (workspace) => {
    if (known.has(workspace)) return known.get(workspace);
    const isThere = workspace === rootScope || state.get(`scope/${workspace}`) !== undefined;
    const files = isThere ? filesOf(state, workspace, undefined) : undefined;
    known.set(workspace, files);
    return files;
  };
}

/** Returns the id of a file of the run, whichever activation writes it. */
const idOf = (workspace: ScopeId, path: string): string => digestOf(Buffer.from(`${workspace}/${path}`)).slice(0, 24);

/**
 * Returns the content of a file of a run, or of one of its versions. Looks first at the workspace of the run itself, which is part of its state.
 * Throws RequestError when there is no such file, or its content cannot be found from this process.
 */
export async function artifactContent(
  { store, blobs }: { readonly store: Store; readonly blobs: Blobs },
  run: RunId,
  { state, id, digest }: { readonly state: StateView; readonly id: string; readonly digest?: string },
): Promise<Content> {
  if (digest !== undefined) {
    // Only contents that the run has written: a digest alone opens nothing.
    const version = (await fileVersionsOf(store, run, { state, id })).find((one) => one.digest === digest);
    if (version === undefined) throw unknownFile(run, id);
    return versionContent(blobs, version);
  }
  const current = [...filesOf(state, rootScope, undefined)].find(
    ([path]) => !path.startsWith(`${attachmentFolder}/`) && idOf(rootScope, path) === id,
  );
  if (current !== undefined) return contentOf(blobs, contentFacts(...current));
  const artifact = (await artifactsOf(store, run, { state })).find((one) => one.id === id);
  if (artifact === undefined) throw unknownFile(run, id);
  return versionContent(blobs, artifact);
}

const unknownFile = (run: RunId, id: string): RequestError =>
  new RequestError('ARTIFACT_UNKNOWN', `Run ${run} has no file ${id}.`);

/**
 * Returns the content of a file as it was listed, even when it has changed since. Throws RequestError when the content
 * cannot be found from this process.
 */
export const versionContent = (blobs: Blobs, { path, digest }: Pick<Artifact, 'path' | 'digest'>): Promise<Content> =>
  contentOf(blobs, contentFacts(path, { digest }));

const contentFacts = (path: string, { digest }: Pick<FileVersion, 'digest'>) => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  mimeType: mimeTypeOf(path),
  digest,
});

const fileFacts = (path: string, { size, digest }: FileVersion) => ({ size, digest, mimeType: mimeTypeOf(path) });

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

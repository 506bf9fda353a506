import type { ActivationId, Event, FileVersion, RunId, ScopeId, StateView } from '@millrace/core';
import { attachmentFolder, filesOf, mimeTypeOf, RequestError, rootScope } from '@millrace/core';
import { digestOf } from './blobs/digest.ts';
import type { Blobs } from './blobs/port.ts';
import type { Content } from './content.ts';
import { contentOf } from './content.ts';
import { readJournal } from './read-journal.ts';
import { placeOfReady } from './seek-journal.ts';
import type { Store } from './store/port.ts';

/** A file that a node has written. */
export interface Artifact {
  /** Names it within its run, whatever its content. */
  readonly id: string;
  /** From the root of the workspace, with slashes. */
  readonly path: string;
  /** The execution of a graph that the workspace belongs to: `s0`, or a call of a subgraph. */
  readonly workspace: ScopeId;
  readonly node: string;
  readonly activation: ActivationId;
  /** When it was told, in milliseconds since 1970. */
  readonly at: number;
  /** In bytes. */
  readonly size: number;
  readonly mimeType: string;
  /** Names its content among the blobs. */
  readonly digest: string;
}

/**
 * The files that a run's nodes have written and that are still there, by workspace and path; those of one activation, as
 * it wrote them last, when one is named. Files that people attached are none.
 */
export async function artifactsOf(
  store: Store,
  run: RunId,
  { state, activation }: { readonly state: StateView; readonly activation?: ActivationId },
): Promise<readonly Artifact[]> {
  const found = new Map<string, Artifact>();
  const counts = activation === undefined ? heldBy(state) : () => true;
  const place = activation === undefined ? '0' : await placeOfReady({ store, run }, activation);
  for await (const { at, event } of readJournal(store, run, place)) {
    const isWanted = activation === undefined || ('activation' in event && event.activation === activation);
    if (!isWanted) continue;
    if (event.type === 'files.changed') collect(found, { ...event, at }, counts);
    if (activation !== undefined && event.type === 'activation.completed') break;
  }
  return [...found.values()].sort((a, b) => compare(a.workspace, b.workspace) || compare(a.path, b.path));
}

type Written = Extract<Event, { type: 'files.changed' }> & { readonly at: number };
type Counts = (workspace: ScopeId, path: string, file: FileVersion) => boolean;

function collect(found: Map<string, Artifact>, { node, activation, frame, files, at }: Written, counts: Counts): void {
  for (const { path, file } of files) {
    const key = `${frame}/${path}`;
    if (file === undefined) found.delete(key);
    else if (counts(frame, path, file) || !found.has(key)) {
      found.set(key, { id: idOf(frame, path), path, workspace: frame, node, activation, at, ...fileFacts(path, file) });
    }
  }
}

/** Of a workspace that is still there, what it holds counts: of units that wrote the same file, the last unit's. */
function heldBy(state: StateView): Counts {
  const held = new Map<ScopeId, ReadonlyMap<string, FileVersion>>();
  return (workspace, path, file) => {
    const files = held.get(workspace) ?? filesOf(state, workspace, undefined);
    held.set(workspace, files);
    const kept = files.get(path);
    return kept === undefined || kept.digest === file.digest;
  };
}

/** Which file of the run, whoever writes it. */
const idOf = (workspace: ScopeId, path: string): string => digestOf(Buffer.from(`${workspace}/${path}`)).slice(0, 24);

/**
 * What is in a file of a run. The workspace of the run itself is looked at first: it is part of its state. Throws
 * RequestError when there is no such file, or its content is not to be found from here.
 */
export async function artifactContent(
  { store, blobs }: { readonly store: Store; readonly blobs: Blobs },
  run: RunId,
  { state, id }: { readonly state: StateView; readonly id: string },
): Promise<Content> {
  const near = [...filesOf(state, rootScope, undefined)].find(
    ([path]) => !path.startsWith(`${attachmentFolder}/`) && idOf(rootScope, path) === id,
  );
  if (near !== undefined) return contentOf(blobs, contentFacts(...near));
  const far = (await artifactsOf(store, run, { state })).find((artifact) => artifact.id === id);
  if (far === undefined) throw new RequestError('ARTIFACT_UNKNOWN', `Run ${run} has no file ${id}.`);
  return contentOf(blobs, contentFacts(far.path, far));
}

const contentFacts = (path: string, { digest }: Pick<FileVersion, 'digest'>) => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  mimeType: mimeTypeOf(path),
  digest,
});

const fileFacts = (path: string, { size, digest }: FileVersion) => ({ size, digest, mimeType: mimeTypeOf(path) });

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

import type {
  ActivationId,
  ArchivedSegment,
  JournalEntry,
  Message,
  MessageId,
  MessageRef,
  Plan,
  RunId,
  StateView,
} from '@millrace/core';
import { hasEnded, messageOf, RequestError, runOf } from '@millrace/core';
import type { RunProjection } from '@millrace/core/projection';
import { beginRunProjection, project } from '@millrace/core/projection';
import { activationEntries } from '../activations/activation-entries.ts';
import { fold } from '../audit/audit.ts';
import { loadBody } from '../blobs/long-bodies.ts';
import type { RunCache } from '../commit/run-cache.ts';
import type { ArchiveFile } from '../journal/archive/archive-file.ts';
import { indexAfter } from '../journal/archive/segment.ts';
import { isAfter, readJournal } from '../journal/read-journal.ts';
import type { ArchivedRun } from '../maintenance/retention/run-archive.ts';
import { readArchivedRun, unreadable } from '../maintenance/retention/run-archive.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Store, StoredBody } from '../ports/store/port.ts';
import { saveDefinition } from '../resources/definition-text.ts';

/** Returns a run of the store. Throws RequestError when there is no such run. */
export async function storedAncestor(cache: RunCache, store: Store, run: RunId): Promise<Ancestor> {
  const cached = await cache.known(run);
  return {
    run,
    state: cached.state,
    plan: await cache.planOf(cached),
    planHash: runOf(cached.state).plan,
    parts: [...cached.state.list('archive/journal')],
    journal: (after = '0') => readJournal(store, run, after),
    entriesOf: (activation) => activationEntries({ store, run, now: cached }, activation),
    projection: (until) =>
      until === undefined ? cache.projections.latest(cached) : cache.projections.at(cached, until),
    bodies: async (ids) => (ids.length === 0 ? [] : store.bodies(run, ids)),
  };
}

/**
 * Returns a run from the file that it was archived to when it was removed; stores its workflow and the text of that again.
 * Throws RequestError.
 */
export async function archivedAncestor(cache: RunCache, store: Store, file: ArchiveFile): Promise<Ancestor> {
  const archived = await readArchivedRun(file);
  const { run, entries, bodies, definition } = archived;
  const { plan, planHash, state } = await finalState(cache, file, archived);
  await saveDefinition(store, definition);
  return {
    run,
    state,
    plan,
    planHash,
    parts: [],
    async *journal(after = '0') {
      yield* entries.slice(indexAfter(entries, after));
    },
    async *entriesOf(activation) {
      for (const entry of entries)
        if ('activation' in entry.event && entry.event.activation === activation) yield entry;
    },
    projection: async (until) => projectionOf(entries, until),
    bodies: async (ids) =>
      ids.map((id) => {
        const body = bodies.get(id);
        if (body === undefined) throw unreadable(file, `it does not hold message ${id}`);
        return body;
      }),
  };
}

function projectionOf(entries: readonly JournalEntry[], until: string | undefined): RunProjection {
  const projection = beginRunProjection();
  for (const entry of entries) if (until === undefined || !isAfter(entry.id, until)) project(projection, entry);
  return projection;
}

/** Returns the final state of the run. */
async function finalState(cache: RunCache, file: ArchiveFile, { workflow, entries }: ArchivedRun) {
  try {
    const planHash = await cache.plans.save(workflow);
    const { plan } = await cache.plans.load(planHash);
    const state = fold(plan, entries);
    const record = state.get('run');
    if (record !== undefined && hasEnded(record)) return { plan, planHash, state };
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw unreadable(file, error instanceof Error ? error.message : String(error));
  }
  throw unreadable(file, 'its journal ends before the run does');
}

/** Original run of a replay or fork, wherever it is stored. */
export interface Ancestor {
  readonly run: RunId;
  readonly state: StateView;
  readonly plan: Plan;
  /** Hash under which the plan is stored. That of the journal is another one where texts of an archive were hidden. */
  readonly planHash: string;
  /** Archived parts with which its journal begins; none when it is stored otherwise. */
  readonly parts: readonly ArchivedSegment[];
  /** Yields its journal after an entry; default: from the start. */
  journal(after?: string): AsyncIterable<JournalEntry>;
  /** Yields the entries of an activation until it has settled; none when there is no such activation. */
  entriesOf(activation: ActivationId): AsyncIterable<JournalEntry>;
  /** Returns the projection as of now, or as of the last event that does not come after this id. */
  projection(until?: string): Promise<RunProjection>;
  /** Returns the bodies of messages as they are stored. */
  bodies(ids: readonly MessageId[]): Promise<readonly StoredBody[]>;
}

/** Returns messages of an original run. */
export async function messagesOf(
  ancestor: Ancestor,
  blobs: Blobs,
  refs: readonly MessageRef[],
): Promise<readonly Message[]> {
  const stored = await ancestor.bodies(refs.map(({ id }) => id));
  return Promise.all(
    refs.map(async (ref, at) => {
      const body = stored[at];
      if (body === undefined) throw new RequestError('INTERNAL', `Message ${ref.id} of run ${ancestor.run} is gone.`);
      return messageOf(ref, await loadBody(blobs, body));
    }),
  );
}

/** Returns the error of an activation that a run does not have. */
export const unknownActivation = (run: RunId, activation: ActivationId | undefined): RequestError =>
  new RequestError(
    'ACTIVATION_UNKNOWN',
    `Run ${run} has no activation ${activation}. \`millrace journal ${run}\` lists them.`,
  );

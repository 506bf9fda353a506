import type { ArchivedSegment, RunId, State } from '@millrace/core';
import type { ProjectionSnapshot, RunProjection } from '@millrace/core/projection';
import { beginRunProjection, project, restoreProjection, snapshotOf } from '@millrace/core/projection';
import { LruMap } from '../../blobs/read-through-cache.ts';
import { nextTurn } from '../../concurrency/in-slices.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Store } from '../../ports/store/port.ts';
import { endOf, readProjection } from '../archive/segment.ts';
import { isAfter, journalPage } from '../read-journal.ts';

/*
 * The projection of a run is continued from what is known of it: by this process, which keeps the latest one with the
 * run's cached state, and some earlier ones for those who look at the past; or by the archived parts of the journal,
 * each of which ends with a snapshot. So no more of a journal is read than its window and one archived part, however
 * long the run is.
 */

/** A run whose projection is wanted. */
export interface ProjectedRun {
  readonly run: RunId;
  readonly state: State;
  readonly version: number;
}

/** Projections of runs as of their last event, or of an earlier one. */
export interface Projections {
  /** Returns the projection as of the version of the run; later requests continue it. */
  latest(of: ProjectedRun): Promise<RunProjection>;
  /** Returns the projection as of the last event that does not come after this id. */
  at(of: ProjectedRun, event: string): Promise<RunProjection>;
}

interface Source {
  readonly store: Pick<Store, 'journal'>;
  readonly blobs: Blobs;
}

/** Number of snapshots of its past that are kept of a run. */
const maxSnapshots = 16;
/** Number of archived snapshots that a process keeps. */
const maxArchived = 64;

/** Snapshots of the past of a run, in the order of their last use. */
type Past = Map<string, ProjectionSnapshot>;

/** Entries that a projection lacks. */
interface Advance {
  readonly run: RunId;
  /** The last entry that counts. */
  readonly until: string;
  /** Positions of the snapshots that are kept. */
  readonly past?: Past;
}

/** Creates the projections of the runs of a store. */
export function createProjections({ store, blobs }: Source): Projections {
  const archived = new LruMap<ProjectionSnapshot | undefined>({ limit: maxArchived });
  const latests = new WeakMap<State, RunProjection>();
  const pasts = new WeakMap<State, Past>();

  /** Returns the latest archived snapshot that covers no event after this id. */
  async function fromArchive({ state }: ProjectedRun, until: string): Promise<ProjectionSnapshot | undefined> {
    const segments: readonly ArchivedSegment[] = state.list('archive/journal');
    const latest = segments.findLast(({ to }) => !isAfter(endOf(to), until));
    return latest && archived.of(latest.digest, () => readProjection(blobs, latest));
  }

  async function beginning(of: ProjectedRun, until: string, known?: ProjectionSnapshot): Promise<RunProjection> {
    const stored = await fromArchive(of, until);
    const nearest =
      known === undefined || (stored !== undefined && isAfter(stored.event, known.event)) ? stored : known;
    return nearest === undefined ? beginRunProjection() : restoreProjection(nearest);
  }

  /** Applies the entries up to an id. Concurrent calls may continue one projection: each entry counts once. */
  async function advance(projection: RunProjection, { run, until, past }: Advance): Promise<void> {
    let isOver = !isAfter(until, projection.event);
    while (!isOver) {
      const page = await store.journal(run, projection.event, journalPage);
      await nextTurn();
      for (const entry of page) if (isBetween(entry.id, projection.event, until)) project(projection, entry);
      isOver = page.length === 0 || isAfter(page.at(-1)?.id ?? until, until) || !isAfter(until, projection.event);
      if (past !== undefined) remember(past, projection);
    }
  }

  return {
    async latest(of) {
      const known = latests.get(of.state);
      const until = endOf(of.version);
      const projection = known ?? (await beginning(of, until));
      if (versionOf(projection) < of.version) await advance(projection, { run: of.run, until });
      latests.set(of.state, projection);
      return projection;
    },
    async at(of, event) {
      const past: Past = pasts.get(of.state) ?? new Map();
      pasts.set(of.state, past);
      const projection = await beginning(of, event, nearestOf(past, event));
      if (isWholePart(of, event) && versionOf(projection) === Number.parseInt(event, 10)) return projection;
      await advance(projection, { run: of.run, until: event, past });
      return projection;
    },
  };
}

/** Returns whether an id is the end of an archived part, at which its snapshot is: no entry needs to be read. */
const isWholePart = ({ state }: ProjectedRun, event: string): boolean =>
  state.list('archive/journal').some(({ to }) => endOf(to) === event);

const isBetween = (id: string, after: string, until: string): boolean => isAfter(id, after) && !isAfter(id, until);

const versionOf = ({ event }: RunProjection): number => Number.parseInt(event, 10);

function remember(past: Past, projection: RunProjection): void {
  past.delete(projection.event);
  past.set(projection.event, snapshotOf(projection));
  for (const oldest of past.keys()) {
    if (past.size <= maxSnapshots) return;
    past.delete(oldest);
  }
}

function nearestOf(past: Past, event: string): ProjectionSnapshot | undefined {
  let nearest: ProjectionSnapshot | undefined;
  for (const snapshot of past.values())
    if (!isAfter(snapshot.event, event) && (nearest === undefined || isAfter(snapshot.event, nearest.event)))
      nearest = snapshot;
  return nearest;
}

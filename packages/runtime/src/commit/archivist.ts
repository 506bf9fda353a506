import type { ArchivedSegment, Command, Event, JournalEntry, RunId, State } from '@millrace/core';
import type { ProjectionSnapshot } from '@millrace/core/projection';
import { project, snapshotOf } from '@millrace/core/projection';
import { inSlices, nextTurn } from '../concurrency/in-slices.ts';
import { endOf, putSegment, sizeOf } from '../journal/archive/segment.ts';
import type { Projections } from '../journal/projection/projections.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Archive, Store } from '../ports/store/port.ts';
import type { StoredContent } from '../ports/store/stored-bytes.ts';
import { contentsOf, takePart, versionOf } from './archive-part.ts';
import type { CachedRun, Verdict } from './cached-run.ts';
import { checkpointText } from './checkpoint-text.ts';
import { referencedMessages } from './referenced-messages.ts';
import { isKept } from './transact.ts';

/*
 * A run's journal in the store is a window. When it holds more events than its limit, its older half is written as a
 * blob together with the message bodies that came with it, a snapshot of the run as people see it, and the present state
 * of the run for readers of what follows; then a commit names the blob; then that half is removed from the store, with
 * those bodies that nothing in the state refers to any more. A crash in between leaves a blob that no
 * commit names, or a part of the journal in two places: the next round repairs both.
 */

/** Options of the archivist. */
export interface ArchivistOptions {
  readonly store: Store;
  readonly blobs: Blobs;
  /** Approximate number of events that the store keeps of a journal; undefined: 10,000. */
  readonly journalWindow?: number | undefined;
  readonly projections: Projections;
  readonly send: (cell: CachedRun, command: Command) => Promise<Verdict>;
  readonly report: (message: string, error: unknown) => void;
}

/** Keeps the journals of runs short. */
export interface Archivist {
  /** Notices a commit of this process; the archiving that it causes happens in the background. */
  committed(cached: CachedRun, events: readonly Event[]): void;
}

/** What this process knows of the journal of a run. */
interface KnownJournal {
  readonly window: JournalWindow;
  /** Size of what was archived since bodies were last removed. */
  archived: number;
  busy: boolean;
  /** Time by the store's clock before which archiving is not tried again, because the last try has failed. */
  notBefore: number;
}

/** The part of a journal that is not archived. */
class JournalWindow {
  /** Commits of this process. */
  readonly #commits: { readonly version: number; readonly size: number }[] = [];
  #size = 0;

  add(version: number, events: readonly Event[]): void {
    const size = sizeOfAll(events);
    this.#commits.push({ version, size });
    this.#size += size;
  }

  /** Returns its size after the archived version; commits of other processes are assumed to be like those of this one. */
  sizeAfter(archived: number, version: number): number {
    const left = this.#commits.findIndex((commit) => commit.version > archived);
    for (const { size } of this.#commits.splice(0, left)) this.#size -= size;
    return (this.#size * (version - archived)) / this.#commits.length;
  }
}

const sizeOfAll = (events: readonly Event[]): number => events.reduce((sum, event) => sum + sizeOf(event), 0);

/** Delay before archiving is tried again after a failure, in milliseconds. */
const retryDelayMs = 10_000;

const defaultWindow = 10_000;
/** Approximate maximum size of the events of one segment, which is held in memory while it is written or read. */
const maxSegmentSize = 10_000;
/**
 * Bodies to which nothing refers are looked for in all of the state, so that waits until an event was archived for so many of its
 * values.
 */
const valuesPerEvent = 4;

/** Creates the archivist for the runs of a store. */
export function createArchivist(archiving: ArchivistOptions): Archivist {
  const known = new WeakMap<CachedRun, KnownJournal>();
  const { store, journalWindow: window = defaultWindow, report } = archiving;
  return {
    committed(cached, events) {
      const { archive } = store;
      if (archive === undefined) return;
      const journal = known.get(cached) ?? { window: new JournalWindow(), archived: 0, busy: false, notBefore: 0 };
      known.set(cached, journal);
      journal.window.add(cached.version, events);
      const written = journal.window.sizeAfter(lastOf(cached.state)?.to ?? 0, cached.version);
      if (written <= window || journal.busy || store.now() < journal.notBefore) return;
      journal.busy = true;
      const size = Math.min(Math.ceil(written - window / 2), maxSegmentSize);
      shorten({ ...archiving, archive, journal }, cached, size)
        .catch((error: unknown) => {
          journal.notBefore = store.now() + retryDelayMs;
          report('a journal could not be archived; it stays as it is for now', error);
        })
        .finally(() => {
          journal.busy = false;
        });
    },
  };
}

const segmentsOf = (state: State): readonly ArchivedSegment[] => state.list('archive/journal');

const lastOf = (state: State): ArchivedSegment | undefined => segmentsOf(state).at(-1);

interface Shortening extends ArchivistOptions {
  readonly archive: Archive;
  readonly journal: KnownJournal;
}

/** Archives the oldest events, at least of this size unless their messages are long. */
async function shorten(archiving: Shortening, cached: CachedRun, wanted: number): Promise<void> {
  const { store, archive, blobs, send, journal } = archiving;
  const { run } = cached;
  const last = lastOf(cached.state);
  const from = last?.to ?? 0;
  const before = last?.messages ?? 0;
  const { entries, bodies } = await takePart({
    entries: await archive.oldest(run, { version: from, size: wanted }),
    before,
    read: (ids) => store.bodies(run, ids),
  });
  const to = entries.length === 0 ? from : versionOf(entries.at(-1));
  if (to === from) return;
  const messages = before + bodies.length;
  const projection = await projectionAfter(archiving, cached, { from, entries });
  await nextTurn();
  const { version, nonce } = cached;
  const short = checkpointText(cached.state);
  // A failover may lose the version; others would then be folded on a state that never was.
  const kept = Promise.resolve(isKept(store, { run, version, nonce }, 'caller')).catch(() => false);
  const checkpoint = (await kept) ? short : undefined;
  const { digest, size } = await putSegment(blobs, { entries, bodies, projection, checkpoint });
  const contents = { ...contentsOf(entries, last), ...(checkpoint === undefined ? {} : { checkpoint: version }) };
  const segment = { to, digest, messages, ...contents };
  const verdict = await send(cached, { type: 'archive', from, ...segment });
  if (verdict.type !== 'accepted') {
    // The run has ended meanwhile, or another process was faster.
    if (!segmentsOf(cached.state).some((segment) => segment.digest === digest)) await blobs.delete(digest);
    return;
  }
  await archive.trim(run, segment);
  journal.archived += sizeOfAll(entries.map(({ event }) => event));
  if (valuesIn(cached.state) <= valuesPerEvent * journal.archived) {
    journal.archived = 0;
    await archive.sweep(run, segment, await referencedMessages(cached.state));
  }
  countSegment(store, run, { digest, size }).catch((error: unknown) => {
    archiving.report('an archived part of a journal could not be counted', error);
  });
}

function valuesIn({ records, lists }: State): number {
  let values = records.size;
  for (const list of lists.values()) values += list.length;
  return values;
}

/** Counts a segment, and the messages that are left; whether there is room or not: without the segment, Redis would have more. */
async function countSegment({ stored, endOf: end }: Store, run: RunId, segment: StoredContent): Promise<void> {
  await stored.add(run, [segment], Number.POSITIVE_INFINITY);
  await stored.measure(run);
  // It was removed meanwhile.
  if ((await end(run)).type === 'absent') await stored.forget(run);
}

/** Returns the projection of a run after entries that follow a version. */
async function projectionAfter(
  { projections }: ArchivistOptions,
  cached: CachedRun,
  { from, entries }: { readonly from: number; readonly entries: readonly JournalEntry[] },
): Promise<ProjectionSnapshot> {
  const projection = await projections.at(cached, from === 0 ? '0' : endOf(from));
  await inSlices(entries, (entry) => project(projection, entry));
  return snapshotOf(projection);
}

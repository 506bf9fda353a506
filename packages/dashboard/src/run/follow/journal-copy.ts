import type { RunEvent, RunHandle } from '@millrace/client';
import type { RunProjection } from '@millrace/core/projection';
import { project } from '@millrace/core/projection';
import { isAfter } from './place.ts';
import { continuedProjection, projectionOf } from './run-projections.ts';

/** Events of a page of the journal, the most that the server returns. */
const pageSize = 1_000;

/**
 * Maximum number of events that the dashboard keeps of one run. Of a longer journal, it requests the events around the
 * selected one, so that runs of any length open with the same number of requests.
 */
export const mostEvents = 4 * pageSize;

/** The journal of a run as a page has it. */
export type Journal = WholeJournal | LongJournal;

/** All events of a run so far. */
export interface WholeJournal {
  readonly isWhole: true;
  readonly events: readonly RunEvent[];
}

/** The state of a run whose journal is too long to be kept: that of the server, continued by the events after it. */
export interface LongJournal {
  readonly isWhole: false;
  readonly projection: RunProjection;
  /** Id of the last event that the projection covers. */
  readonly event: string;
  /** The last event itself; undefined until one has arrived. */
  readonly last: RunEvent | undefined;
}

/** Progress of a run at its last reading. */
export interface JournalPosition {
  /** Id of its newest event. */
  readonly event: string;
  readonly activations: number;
}

/** The journal of a run, loaded when a view needs it. */
export interface JournalCopy {
  /** Undefined until it has been loaded. */
  get(): Journal | undefined;
  /** Requests the journal. Returns false if it was requested before. */
  want(): boolean;
  /** Loads the journal if it is requested and not loaded, with all events that the run had reached, and maybe later ones. */
  load(reached: JournalPosition, signal: AbortSignal): Promise<void>;
  /** Adds events that have arrived; those that it has are ignored. */
  add(events: readonly RunEvent[]): void;
}

/** Creates the journal of a run, which is not requested yet. */
export function createJournalCopy(run: RunHandle): JournalCopy {
  let journal: Journal | undefined;
  let isWanted = false;
  return {
    get: () => journal,
    want() {
      const isNew = !isWanted;
      isWanted = true;
      return isNew;
    },
    async load(reached, signal) {
      if (!isWanted || journal !== undefined) return;
      const loaded = (await loadEvents(run, reached, signal)) ?? (await loadState(run, signal));
      if (!signal.aborted) journal = loaded;
    },
    add(arrived) {
      if (journal === undefined) return;
      const newest = journal.isWhole ? (journal.events.at(-1)?.id ?? '0') : journal.event;
      const events = arrived.filter(({ id }) => isAfter(id, newest));
      if (events.length > 0) journal = journal.isWhole ? longer(journal, events) : continued(journal, events);
    },
  };
}

function longer(journal: WholeJournal, more: readonly RunEvent[]): Journal {
  const events = journal.events.concat(more);
  if (events.length <= mostEvents) return { events, isWhole: true };
  return ended(projectionOf(events), more);
}

function continued({ projection }: LongJournal, more: readonly RunEvent[]): LongJournal {
  for (const each of more) project(projection, each);
  // The parts of a projection are mutable; a new object signals the change.
  return ended({ ...projection }, more);
}

function ended(projection: RunProjection, more: readonly RunEvent[]): LongJournal {
  const last = more.at(-1);
  return { isWhole: false, projection, event: last?.id ?? '0', last };
}

async function loadState(run: RunHandle, signal: AbortSignal): Promise<LongJournal> {
  const graphs = await run.graph({ progress: 'true' }, { signal });
  return { isWhole: false, projection: continuedProjection(graphs), event: graphs.event, last: undefined };
}

/** Loads all events; undefined if there are too many: each commit and each activation has at least one. */
async function loadEvents(
  run: RunHandle,
  { event, activations }: JournalPosition,
  signal: AbortSignal,
): Promise<WholeJournal | undefined> {
  if (Math.max(Number.parseInt(event, 10), activations) > mostEvents) return undefined;
  const pages = run.journal(undefined, { limit: pageSize, signal });
  let { data: events, nextCursor } = await pages.page();
  while (nextCursor !== null) {
    if (signal.aborted || events.length >= mostEvents) return undefined;
    const page = await pages.page(nextCursor);
    events = events.concat(page.data);
    nextCursor = page.nextCursor;
  }
  return { events, isWhole: true };
}

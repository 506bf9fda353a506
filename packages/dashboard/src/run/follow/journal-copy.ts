import type { RunEvent, RunHandle } from '@millrace/client';

/** Events of a page of the journal, the most that the server returns. */
const pageSize = 1_000;

/**
 * Maximum number of events that the dashboard keeps of one run. Of a longer journal, it requests the events around the
 * selected one, so that runs of any length open with the same number of requests.
 */
export const mostEvents = 4 * pageSize;

/** The journal of a run as a page has it. */
export interface Journal {
  /** All events so far; empty if the journal is too long to be kept. */
  readonly events: readonly RunEvent[];
  readonly isWhole: boolean;
}

const tooLong: Journal = { events: [], isWhole: false };

/** Progress of a run at its last reading. */
export interface Reached {
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
  /** Loads the journal if it is requested and not loaded. Returns the id of its last event, or of the last event that the run had reached. */
  load(reached: Reached, signal: AbortSignal): Promise<string>;
  /** Adds events that have arrived. */
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
      if (!isWanted || journal !== undefined) return reached.event;
      const loaded = await loadJournal(run, reached, signal);
      if (!signal.aborted) journal = loaded;
      return loaded.events.at(-1)?.id ?? reached.event;
    },
    add(events) {
      if (journal?.isWhole !== true) return;
      const isLong = journal.events.length + events.length > mostEvents;
      journal = isLong ? tooLong : { events: journal.events.concat(events), isWhole: true };
    },
  };
}

/** Loads all events, unless there are too many: each commit and each activation has at least one. */
async function loadJournal(run: RunHandle, { event, activations }: Reached, signal: AbortSignal): Promise<Journal> {
  if (Math.max(Number.parseInt(event, 10), activations) > mostEvents) return tooLong;
  const pages = run.journal(undefined, { limit: pageSize, signal });
  let { data: events, nextCursor } = await pages.page();
  while (nextCursor !== null) {
    if (signal.aborted || events.length >= mostEvents) return tooLong;
    const page = await pages.page(nextCursor);
    events = events.concat(page.data);
    nextCursor = page.nextCursor;
  }
  return { events, isWhole: true };
}

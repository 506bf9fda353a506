import type { RunEvent, RunHandle } from '@millrace/client';

/** Events that a page keeps of one run. */
export const mostEvents = 20_000;

/** The journal of a run as a page has it. */
export interface Journal {
  /** All events there are now; empty if the journal is too long to be kept. */
  readonly events: readonly RunEvent[];
  readonly isWhole: boolean;
}

const tooLong: Journal = { events: [], isWhole: false };

/** The journal of a run, once it is wanted. */
export interface JournalCopy {
  /** Undefined until it has been loaded. */
  get(): Journal | undefined;
  /** Wants it. Returns false if it was wanted before. */
  want(): boolean;
  /** Loads it if it is wanted and not there. Returns the id of its last event, or the given one. */
  load(newest: string, signal: AbortSignal): Promise<string>;
  /** Adds events that have arrived. */
  add(events: readonly RunEvent[]): void;
}

/** Creates the journal of a run, which is not wanted yet. */
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
    async load(newest, signal) {
      if (!isWanted || journal !== undefined) return newest;
      const loaded = await loadJournal(run, newest, signal);
      if (!signal.aborted) journal = loaded;
      return loaded.events.at(-1)?.id ?? newest;
    },
    add(events) {
      if (journal?.isWhole !== true) return;
      const isLong = journal.events.length + events.length > mostEvents;
      journal = isLong ? tooLong : { events: journal.events.concat(events), isWhole: true };
    },
  };
}

/** Loads all events, unless there are too many. Each commit has at least one, so the newest tells before they are read. */
async function loadJournal(run: RunHandle, newest: string, signal: AbortSignal): Promise<Journal> {
  if (Number.parseInt(newest, 10) > mostEvents) return tooLong;
  const events: RunEvent[] = [];
  for await (const event of run.journal(undefined, { signal })) {
    events.push(event);
    if (signal.aborted || events.length > mostEvents) return tooLong;
  }
  return { events, isWhole: true };
}

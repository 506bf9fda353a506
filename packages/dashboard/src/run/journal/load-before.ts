import type { RunEvent, RunHandle } from '@millrace/client';

/** Commits that one part covers; a commit has a few events, or thousands where a fan-out begins. */
const commitsAtATime = 150;

/** Part of a journal, newest event first. */
export interface JournalPart {
  readonly events: readonly RunEvent[];
  /** Number of the last commit before it; 0: there is none. */
  readonly before: number;
}

/** Returns the number of the commit that an event is part of. */
export const commitOf = (event: string): number => Number(event.split('-', 1)[0]);

/** Loads the part of a journal that ends with a commit, newest event first. */
export async function loadBefore(run: RunHandle, commit: number): Promise<JournalPart> {
  const before = Math.max(0, commit - commitsAtATime);
  const events: RunEvent[] = [];
  // Ids count commits from 1, and the events of each from 0.
  const pages = run.journal(`${before}-${Number.MAX_SAFE_INTEGER % 1e15}`);
  let cursor: string | undefined;
  do {
    const page = await pages.page(cursor);
    for (const event of page.data) if (commitOf(event.id) <= commit) events.push(event);
    const last = page.data.at(-1);
    cursor = last !== undefined && commitOf(last.id) > commit ? undefined : (page.nextCursor ?? undefined);
  } while (cursor !== undefined);
  return { events: events.reverse(), before };
}

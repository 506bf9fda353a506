import type { Event, JournalEntry } from '@millrace/core';
import { withoutTenant } from '@millrace/core';
import type { Task } from '../contract/runs.ts';
import { plainEntry } from '../events/plain-entry.ts';
import type { RunCursor, RunOrigin, RunSummary } from '../ports/store/port.ts';

/** Returns a run of a list with the ids that its tenant knows. */
export const runForTenant = <T extends RunCursor & Pick<RunSummary, 'origin'>>(line: T): T => ({
  ...line,
  run: withoutTenant(line.run),
  ...(line.origin === undefined ? {} : { origin: originForTenant(line.origin) }),
});

/** Form of an archive for the tenant of its run: it has the ids that the tenant knows, and no token and no path of a webhook. */
export const archiveForTenant = {
  summary: runForTenant,
  entry: (entry: JournalEntry): JournalEntry => {
    const { event, ...place } = plainEntry(entry);
    // Tokens of wakes are valid in the run only.
    return { ...place, event: { ...event, ...('token' in entry.event ? { token: '' } : {}) } as Event };
  },
};

/** Replays and forks name runs by their full ids. */
const originForTenant = ({ type, of }: RunOrigin): RunOrigin => ({
  type,
  of: type === 'replay' || type === 'fork' ? withoutTenant(of) : of,
});

/** Returns a task with the ids that its tenant knows. */
export const taskForTenant = <T extends Task>(task: T): T => ({
  ...task,
  id: withoutTenant(task.id),
  run: withoutTenant(task.run),
});

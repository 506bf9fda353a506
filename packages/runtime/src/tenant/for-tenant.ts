import { withoutTenant } from '@millrace/core';
import type { Task } from '../contract/runs.ts';
import type { RunCursor, RunOrigin, RunSummary } from '../ports/store/port.ts';

/** Returns a run of a list with the ids that its tenant knows. */
export const runForTenant = <T extends RunCursor & Pick<RunSummary, 'origin'>>(line: T): T => ({
  ...line,
  run: withoutTenant(line.run),
  ...(line.origin === undefined ? {} : { origin: originForTenant(line.origin) }),
});

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

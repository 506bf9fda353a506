import type { RunProjection } from '@millrace/core/projection';
import type { RunLog } from './run-log.ts';
import type { RunProjections } from './run-projections.ts';
import { createProjections } from './run-projections.ts';

const kept = new WeakMap<RunLog, RunProjections>();

/** Returns the projections of a run: all views of the page share them. */
export function projectionsOf(log: RunLog): RunProjections {
  const known = kept.get(log) ?? createProjections();
  kept.set(log, known);
  return known;
}

/** Returns the projection of a run now; undefined while its journal is not loaded. */
export function presentProjection(log: RunLog): RunProjection | undefined {
  const journal = log.journal();
  if (journal?.isWhole === true) return projectionsOf(log).at(journal.events, journal.events.length);
  return journal?.projection;
}

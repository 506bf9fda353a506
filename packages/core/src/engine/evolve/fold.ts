import type { Plan } from '../../plan/plan.ts';
import type { RunError } from '../records/event.ts';
import { runOf } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';

/** What folding an event needs beside the event. */
export interface Fold {
  readonly plan: Plan;
  readonly draft: Draft;
  /** Time of the event in milliseconds since 1970. */
  readonly at: number;
}

/** Notes why the run fails; the first reason counts. A run that is being stopped is stopped all the same. */
export function failRun({ draft }: Fold, error: RunError): void {
  const run = runOf(draft);
  draft.set('run', { ...run, error: run.error ?? error, status: run.status === 'stopping' ? 'stopping' : 'failing' });
}

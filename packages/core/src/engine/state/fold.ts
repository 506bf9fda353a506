import type { Plan } from '../../plan/plan.ts';
import type { RunError } from '../records/event.ts';
import { runOf } from './lookup.ts';
import type { Draft } from './state.ts';

/** The plan, the draft and the time with which an event is folded. */
export interface Fold {
  readonly plan: Plan;
  readonly draft: Draft;
  /** Time of the event in milliseconds since 1970. */
  readonly at: number;
}

/** Records why the run fails; the first reason counts. A run that is stopping stays so. */
export function failRun({ draft }: Fold, error: RunError): void {
  const run = runOf(draft);
  draft.set('run', { ...run, error: run.error ?? error, status: run.status === 'stopping' ? 'stopping' : 'failing' });
}

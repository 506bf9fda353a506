import type { Deciding } from '../deciding.ts';
import { runOf } from '../lookup.ts';
import type { Refusal } from '../refusal.ts';
import { refuse } from '../refusal.ts';

/** Lets nothing new start until the run is resumed; what is at work may finish. */
export function pause({ draft, emit }: Deciding): Refusal | undefined {
  const { status } = runOf(draft);
  if (status !== 'running')
    return refuse('RUN_NOT_ACTIVE', `Only a run that is running can be paused; this one is ${status}.`);
  emit({ type: 'run.paused' });
  return undefined;
}

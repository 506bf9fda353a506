import type { EventOf } from '../records/event.ts';
import type { DecisionContext } from './decision-context.ts';
import { runOf } from './lookup.ts';

/** Ends the run. The event names the resumption that it is the end of, so that no two ends of a run are the same. */
export function finishRun(
  { draft, emit }: Pick<DecisionContext, 'draft' | 'emit'>,
  end: Omit<EventOf<'run.finished'>, 'type' | 'resumed'>,
): void {
  const { resumed } = runOf(draft);
  emit({ type: 'run.finished', ...end, ...(resumed === undefined ? {} : { resumed }) });
}

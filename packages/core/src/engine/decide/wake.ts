import type { ActivationId, RunId, Wake } from '../../model/ids.ts';
import { defaultQueue } from '../../model/ids.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ActivationRecord } from '../records/activation-record.ts';
import type { Event } from '../records/event.ts';
import { scopeOf } from '../state/lookup.ts';
import type { StateView } from '../state/state.ts';

/** Returns the event that makes an activation ready, with the queue of its node. */
export function withQueue(plan: Plan, state: StateView, event: Event): Event {
  if (!plan.routed || event.type !== 'activation.ready') return event;
  const queue = plan.graphs.get(scopeOf(state, event.scope).graph)?.nodes[event.node]?.queue;
  return queue === undefined || queue === defaultQueue ? event : { ...event, queue };
}

/** Returns the wake of an activation, with its queue and the priority of its run. */
export function wakeOf(
  state: StateView,
  { run, activation }: { readonly run: RunId; readonly activation: ActivationId },
  { token, queue }: Pick<ActivationRecord, 'token' | 'queue'>,
): Wake {
  const priority = state.get('origin')?.priority;
  return {
    run,
    activation,
    token,
    ...(queue === undefined ? {} : { queue }),
    ...(priority === undefined ? {} : { priority }),
  };
}

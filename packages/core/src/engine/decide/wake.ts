import type { ActivationId, RunId, ScopeId, Wake } from '../../model/ids.ts';
import { defaultQueue } from '../../model/ids.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ActivationRecord } from '../records/activation-record.ts';
import type { Event } from '../records/event.ts';
import { scopeOf } from '../state/lookup.ts';
import type { StateView } from '../state/state.ts';

/** Returns the event that makes an activation ready, with the queue of its node and its turn in a loop. */
export function withQueueAndTurn(plan: Plan, state: StateView, event: Event): Event {
  if (event.type !== 'activation.ready') return event;
  return { ...event, ...queueOf(plan, state, event), ...turnOf(state, event.scope) };
}

function queueOf(plan: Plan, state: StateView, { scope, node }: Extract<Event, { type: 'activation.ready' }>) {
  if (!plan.routed) return {};
  const queue = plan.graphs.get(scopeOf(state, scope).graph)?.nodes[node]?.queue;
  return queue === undefined || queue === defaultQueue ? {} : { queue };
}

/** Returns the iteration of the loop whose part an activation of this scope is now; nothing outside of loops. */
export function turnOf(state: StateView, id: ScopeId): { readonly turn?: number } {
  const scope = state.get(`scope/${id}`);
  if (scope?.type === 'cycle') return { turn: scope.iteration };
  return scope?.type === 'map' || scope?.type === 'tree' ? turnOf(state, scope.parent) : {};
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

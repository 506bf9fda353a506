import type { ActivationId, AgendaItem, MessageId, RunId, ScopeId, Wake } from '../../model/ids.ts';
import { defaultQueue } from '../../model/ids.ts';
import type { MemoryWrite } from '../../model/memory.ts';
import type { MessageBody } from '../../model/messages/message.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Event } from '../records/event.ts';
import type { ActivationRecord } from '../records/records.ts';
import { scopeOf } from '../state/lookup.ts';
import type { StateView, Write } from '../state/state.ts';

/** Result of one or more commands, ready to be committed. */
export interface Decision {
  readonly events: readonly Event[];
  /** Net effect of the events on the state. */
  readonly writes: readonly Write[];
  /** New message bodies under their ids. */
  readonly bodies: readonly { readonly id: MessageId; readonly body: MessageBody }[];
  /** Activations to wake, in order. */
  readonly wakes: readonly Wake[];
  /** Entries of the agenda for later. */
  readonly later: readonly ScheduledItem[];
  /** Entries of the agenda that are settled. */
  readonly settled: readonly AgendaItem[];
  /** Writes to memory stores, in order. The stores belong to no run, so these are neither events nor state. */
  readonly memory: readonly MemoryWrite[];
}

/** An entry of the agenda with its time, in milliseconds since 1970. */
export interface ScheduledItem {
  readonly due: AgendaItem;
  readonly at: number;
}

/** Returns the event that makes an activation ready, with the queue of its node and its turn in a loop. */
export function withQueueAndIteration(plan: Plan, state: StateView, event: Event): Event {
  if (event.type !== 'activation.ready') return event;
  const queue = queueOf(plan, state, event);
  const iteration = iterationOf(state, event.scope);
  // Before the spread, as fields that are added after one take much longer.
  if (iteration !== undefined) return queue === undefined ? { iteration, ...event } : { iteration, queue, ...event };
  return queue === undefined ? event : { queue, ...event };
}

function queueOf(plan: Plan, state: StateView, { scope, node }: Extract<Event, { type: 'activation.ready' }>) {
  if (!plan.routed) return undefined;
  const queue = plan.graphs.get(scopeOf(state, scope).graph)?.nodes[node]?.queue;
  return queue === defaultQueue ? undefined : queue;
}

/** Returns the iteration of the loop whose part an activation of this scope is now; undefined outside of loops. */
export function iterationOf(state: StateView, id: ScopeId): number | undefined {
  const scope = state.get(`scope/${id}`);
  if (scope?.type === 'cycle') return scope.iteration;
  return scope?.type === 'map' || scope?.type === 'tree' ? iterationOf(state, scope.parent) : undefined;
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

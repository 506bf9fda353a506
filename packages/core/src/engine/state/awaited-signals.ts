import type { ActivationId } from '../../model/ids.ts';
import type { SignalFacts } from '../../model/messages/signal.ts';
import { passesFilter } from '../../model/messages/signal.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ActivationRecord } from '../records/activation-record.ts';
import { isWaiting } from './live.ts';
import { activationsOf } from './lookup.ts';
import type { StateView } from './state.ts';

/** Returns the paths in the data of an event that its nodes filter by; undefined if no node waits for such events. */
export function filteredPaths(plan: Plan, name: string): ReadonlySet<string> | undefined {
  const awaiting = [...plan.graphs.values()].flatMap(({ nodes }) =>
    nodes.flatMap(({ awaits }) => (awaits?.event === name ? [awaits] : [])),
  );
  return awaiting.length === 0 ? undefined : new Set(awaiting.flatMap(({ paths }) => paths));
}

/** Returns whether an activation waits for an event at this time, in milliseconds since 1970. */
const awaitsAt = (record: ActivationRecord, at: number): boolean =>
  isWaiting(record) && record.wait?.event !== undefined && (record.wait.event.until ?? Number.POSITIVE_INFINITY) > at;

/** Returns the activation that takes an event: of those that wait for it, the one that became ready first. */
export function takerOf(
  state: StateView,
  { name, facts }: { readonly name: string; readonly facts: SignalFacts },
  at: number,
): ActivationId | undefined {
  let first: ActivationId | undefined;
  for (const [id, record] of activationsOf(state)) {
    const { event } = record.wait ?? {};
    if (event?.name !== name || !awaitsAt(record, at) || !passesFilter(facts, event.filter)) continue;
    if (first === undefined || numberOf(id) < numberOf(first)) first = id;
  }
  return first;
}

/** Activations are numbered in the order in which they become ready. */
const numberOf = (id: ActivationId): number => Number(id.slice(1));

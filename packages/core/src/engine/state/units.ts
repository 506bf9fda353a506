import type { MessageRef } from '../../model/message.ts';
import type { ActivationRecord } from '../records/records.ts';
import { frameOf, scopeOf } from './lookup.ts';
import type { StateView } from './state.ts';

type Place = Pick<ActivationRecord, 'scope' | 'unit'>;

/** The messages that one unit of a fan-out is about; undefined for an activation that is no unit of one. */
export function unitOf(state: StateView, { scope: id, unit }: Place): readonly MessageRef[] | undefined {
  const scope = scopeOf(state, id);
  if (unit === undefined || scope.type === 'graph' || scope.type === 'cycle') return undefined;
  const size = scope.type === 'map' ? 1 : scope.groupSize;
  return state.list(`units/${id}`).slice(unit * size, (unit + 1) * size);
}

/** The units that an activation takes place in, outermost first: its own, and those that called the graphs around it. */
export function unitsAround(state: StateView, place: Place): readonly (readonly MessageRef[])[] {
  const own = unitOf(state, place);
  const frame = scopeOf(state, frameOf(scopeOf(state, place.scope), place.scope));
  const caller = frame.type === 'graph' ? frame.caller : undefined;
  const around = caller === undefined ? [] : unitsAround(state, caller);
  return own === undefined ? around : [...around, own];
}

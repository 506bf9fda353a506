import type { MessageRef } from '../../model/messages/message.ts';
import type { ActivationRecord } from '../records/activation-record.ts';
import { frameOf, scopeOf } from './lookup.ts';
import type { StateView } from './state.ts';

type UnitMember = Pick<ActivationRecord, 'scope' | 'unit'>;

/** Returns the messages of one unit of a fan-out; undefined for an activation that is not a unit. */
export function unitMessages(state: StateView, { scope: id, unit }: UnitMember): readonly MessageRef[] | undefined {
  const scope = scopeOf(state, id);
  if (unit === undefined || scope.type === 'graph' || scope.type === 'cycle') return undefined;
  const size = scope.type === 'map' ? 1 : scope.groupSize;
  return state.list(`units/${id}`).slice(unit * size, (unit + 1) * size);
}

/**
 * Returns the messages of the units that enclose an activation, outermost first: its own, and those that called its
 * graphs.
 */
export function enclosingUnits(state: StateView, place: UnitMember): readonly (readonly MessageRef[])[] {
  const own = unitMessages(state, place);
  const frame = scopeOf(state, frameOf(scopeOf(state, place.scope), place.scope));
  const caller = frame.type === 'graph' ? frame.caller : undefined;
  const enclosing = caller === undefined ? [] : enclosingUnits(state, caller);
  return own === undefined ? enclosing : [...enclosing, own];
}

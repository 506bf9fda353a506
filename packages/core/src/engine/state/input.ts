import type { ActivationId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ExitsKey, OutputsKey, PendingKey, ResultKey, UnitsKey } from '../records/keys.ts';
import type { ActivationRecord, InboxEntry } from '../records/records.ts';
import { inboxOf } from './inbox.ts';
import { outputMessages } from './joined-messages.ts';
import { frameOf, locateActivation, scopeOf } from './lookup.ts';
import type { StateView } from './state.ts';

/** One input of an activation; `dynamic` if it is to be split into units. */
export type InputRef = Omit<InboxEntry, 'n'>;

/** Returns the input of a live activation, oldest first. It does not change while the activation lives. */
export function inputOf(plan: Plan, state: StateView, activation: ActivationId): readonly InputRef[] {
  const record = state.get(`activation/${activation}`);
  if (record === undefined) return [];
  if (record.from !== undefined) return innerResults(state, record.from);
  const { scope, frame, node } = locateActivation(plan, state, record);
  const own = unitMessages(state, record);
  if (own === undefined || scope.type === 'graph' || scope.type === 'cycle') {
    return node === undefined ? [] : inboxOf(state, frame, node.id);
  }
  return scope.layer === 0 ? [...scope.statics, ...own] : own;
}

/** Returns the inner results for a `close` activation: outputs in order, or votes in the order of the voters. */
function innerResults(state: StateView, key: ResultKey): readonly InputRef[] {
  if (key.startsWith('outputs/')) return outputMessages(state, key as OutputsKey); // the key's form
  if (!isPending(key)) return state.list(key as UnitsKey | ExitsKey); // what is left of the kinds
  return [...state.list(key)].sort((a, b) => a.from - b.from).flatMap((vote) => vote.message ?? []);
}

const isPending = (key: ResultKey): key is PendingKey => key.startsWith('pending/');

type UnitMember = Pick<ActivationRecord, 'scope' | 'unit'>;

/** Returns the messages of one unit of a fan-out; undefined for an activation that is not a unit. */
function unitMessages(state: StateView, { scope: id, unit }: UnitMember): readonly MessageRef[] | undefined {
  const scope = scopeOf(state, id);
  if (unit === undefined || scope.type === 'graph' || scope.type === 'cycle') return undefined;
  const size = scope.type === 'map' ? 1 : scope.groupSize;
  return state.list(scope.units ?? `units/${id}`).slice(unit * size, (unit + 1) * size);
}

/**
 * Returns the messages of the units that enclose an activation, outermost first: its own, and those that called its
 * graphs.
 */
export function enclosingUnits(state: StateView, activation: UnitMember): readonly (readonly MessageRef[])[] {
  const own = unitMessages(state, activation);
  const frame = scopeOf(state, frameOf(scopeOf(state, activation.scope), activation.scope));
  const caller = frame.type === 'graph' ? frame.caller : undefined;
  const enclosing = caller === undefined ? [] : enclosingUnits(state, caller);
  return own === undefined ? enclosing : [...enclosing, own];
}

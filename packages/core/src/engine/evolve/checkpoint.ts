import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Event } from '../records/event.ts';
import type { ListKey, RecordKey, UnitsKey } from '../records/keys.ts';
import type { InputRef } from '../state/input.ts';
import { inputOf } from '../state/input.ts';
import { activationsOf } from '../state/lookup.ts';
import { recordsAt } from '../state/records-at.ts';
import type { StateView } from '../state/state.ts';
import { State } from '../state/state.ts';
import { unitsOf } from './scopes/evolve-join.ts';

/*
 * A checkpoint is the state of a run as plain data, from which the journal can be folded on, so that nobody who looks at the
 * past folds it from its beginning. Checkpoints are stored again and again, and must not grow with the run. The state of a
 * large fan-out does: it holds all units and their results. So a checkpoint has only those units that are executing, and
 * the next ones in their order. A fold that comes to what a checkpoint lacks begins at an earlier checkpoint.
 */

/** The state of a run, without most of what its large fan-outs hold. */
export interface Checkpoint {
  readonly records: readonly (readonly [RecordKey, unknown])[];
  readonly lists: readonly (readonly [ListKey, readonly unknown[]])[];
  /** Large fan-outs, with the units that are here. */
  readonly partial: readonly PartialUnits[];
}

/** Some units of a large fan-out. */
interface PartialUnits {
  readonly scope: ScopeId;
  readonly list: UnitsKey;
  /** Number of all of its units. */
  readonly total: number;
  /** Some of them in their order, each part with the number of its first unit. */
  readonly parts: readonly (readonly [number, readonly unknown[]])[];
}

/** A state that a checkpoint restores. */
export interface RestoredState {
  readonly state: State;
  /** Fan-outs whose results, and some of whose units, it lacks. */
  readonly partial: ReadonlySet<ScopeId>;
}

/** Sizes that decide what a checkpoint contains. */
export interface CheckpointSizes {
  /** Number of units from which on a fan-out is large. */
  readonly large: number;
  /** Number of units that may become ready before the next checkpoint. */
  readonly ahead: number;
}

const defaultSizes: CheckpointSizes = { large: 256, ahead: 5000 };

/** Returns the checkpoint of a state. It shares values with the state, which are replaced and never change. */
export function checkpointOf(state: State, { large, ahead }: CheckpointSizes = defaultSizes): Checkpoint {
  const partial: PartialUnits[] = [];
  for (const [key, { length }] of state.lists) {
    const scope = key.startsWith('units/') ? ownerOf(key) : undefined;
    if (scope === undefined || length <= large) continue;
    const kept = partialUnits(state, scope, ahead);
    if (kept.list === key) partial.push(kept);
  }
  // A large fan-out has hundreds of thousands of results: they are not looked at.
  const records = [...state.records.except(partial.map(({ scope }) => `result/${scope}/`))];
  const starts = partial.flatMap(({ scope }) => [`units/${scope}/`, `joined/${scope}/`]);
  const others = new Set<string>(['archive/journal', ...partial.map(({ scope }) => `units/${scope}`)]);
  const isKept = (key: string): boolean => !others.has(key) && !starts.some((start) => key.startsWith(start));
  const lists: [ListKey, readonly unknown[]][] = [];
  for (const [key, all] of state.lists) if (isKept(key)) lists.push([key, [...all]]);
  return { records, lists, partial };
}

const unitContents = /^(?:units|result|joined)\/(s\d+)/;

/** Returns the fan-out whose units, or results of units, are under a key; undefined for other keys. */
const ownerOf = (key: string): ScopeId | undefined => unitContents.exec(key)?.[1] as ScopeId | undefined; // the form of a scope

/** Returns the units of the current layer of a fan-out that are executing or have failed, and those that come next. */
function partialUnits(state: StateView, scope: ScopeId, ahead: number): PartialUnits {
  const record = state.get(`scope/${scope}`);
  // It is not entered before all of its units are stored.
  const isEntered = record?.type === 'map' || record?.type === 'tree';
  const list = isEntered ? unitsOf(scope, record) : (`units/${scope}` as const);
  const size = isEntered && record.type === 'tree' ? record.groupSize : 1;
  const next = isEntered ? record.next * size : 0;
  const units = state.list(list);
  const parts: [number, readonly unknown[]][] = [[next, units.slice(next, next + ahead)]];
  for (const [, { scope: owner, unit }] of activationsOf(state))
    if (owner === scope && unit !== undefined) parts.push([unit * size, units.slice(unit * size, (unit + 1) * size)]);
  return { scope, list, total: units.length, parts };
}

/** Returns a state that continues from a checkpoint, which stays as it is; `at`: the time of all events before it, if they have one. */
export function restoreCheckpoint({ records, lists, partial }: Checkpoint, at?: number): RestoredState {
  const state = new State();
  for (const [key, value] of records) state.records.set(key, value);
  for (const [key, entries] of lists) state.lists.set(key, [...entries]);
  for (const { list, total, parts } of partial) {
    const units = new Array<unknown>(total);
    for (const [first, entries] of parts) for (const [at, entry] of entries.entries()) units[first + at] = entry;
    state.lists.set(list, units);
  }
  if (at !== undefined) for (const [key, value] of [...recordsAt(state, at)]) state.records.set(key, value);
  return { state, partial: new Set(partial.map(({ scope }) => scope)) };
}

/** Returns whether an event cannot be folded into a restored state, because that lacks what the event is about. */
export function lacksFor({ partial }: Pick<RestoredState, 'partial'>, event: Event): boolean {
  if (partial.size === 0) return false;
  switch (event.type) {
    case 'units.joined':
    case 'fanout.layered':
    case 'fanout.left':
      return partial.has(event.scope);
    // A fork can begin at any activation, and with any input.
    case 'run.forked':
      return true;
    default:
      return false;
  }
}

/** Returns the input of a live activation; undefined when the restored state lacks it. */
export function restoredInput(plan: Plan, { state, partial }: RestoredState, id: ActivationId) {
  const input: readonly (InputRef | undefined)[] = inputOf(plan, state, id);
  // Units that are not there are holes in their list.
  return partial.size > 0 && input.includes(undefined) ? undefined : (input as readonly InputRef[]);
}

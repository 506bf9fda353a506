import type { ScopeId } from '../../../model/ids.ts';
import type { Event } from '../../records/event.ts';
import type { FanOutScope } from '../../records/fan-out-records.ts';
import type { ActivationRecord } from '../../records/records.ts';
import type { Fold } from '../../state/fold.ts';
import { frameOf, graphOf, nodeOf, runOf, scopeOf } from '../../state/lookup.ts';
import type { Draft } from '../../state/state.ts';
import { unlockWorkspace } from '../../state/workspace-lock.ts';
import { completeNode } from './complete-node.ts';
import { asUnit, joinedOutputsOf, nextUnitsOf, takeResults, unitsJoined, unitsOf } from './evolve-join.ts';

type FanOutEvent = Extract<Event, { type: `fanout.${string}` | `units.${string}` }>;

/** Folds the events of a fan-out. */
export function evolveFanOut(fold: Fold, event: FanOutEvent): void {
  switch (event.type) {
    case 'units.stored':
      return stored(fold.draft, event);
    case 'units.joined':
      return unitsJoined(fold, event);
    case 'fanout.entered':
      return entered(fold, event);
    case 'fanout.layered':
      return layered(fold.draft, event.scope);
    case 'fanout.left':
      return left(fold, event.scope);
  }
}

function stored(draft: Draft, { activation, scope, cut, units }: Extract<Event, { type: 'units.stored' }>): void {
  const record = draft.get(`activation/${activation}`);
  if (record === undefined) throw new Error(`activation ${activation} is not live`);
  if (record.stored === undefined) takeScopeId(draft);
  if (record.stored?.cut !== cut) {
    draft.trim(`units/${scope}`, 0);
    draft.set(`activation/${activation}`, { ...record, stored: { scope, cut } });
  }
  draft.append(`units/${scope}`, units);
}

/** Removes the units that an activation has stored for a fan-out that it does not open. */
export function dropStoredUnits(draft: Draft, { stored }: Pick<ActivationRecord, 'stored'>): void {
  if (stored !== undefined) draft.trim(`units/${stored.scope}`, 0);
}

function takeScopeId(draft: Draft): void {
  const run = runOf(draft);
  draft.set('run', { ...run, nextScope: run.nextScope + 1 });
}

function entered({ plan, draft }: Fold, event: Extract<Event, { type: 'fanout.entered' }>): void {
  const { before = 0, units } = event;
  const parent = scopeOf(draft, event.parent);
  if (before === 0) takeScopeId(draft);
  // Units of another input, which an earlier attempt has stored.
  if (before === 0 && draft.list(`units/${event.scope}`).length > 0) draft.trim(`units/${event.scope}`, 0);
  draft.append(`units/${event.scope}`, event.units);
  draft.set(`scope/${event.scope}`, {
    type: event.kind,
    graph: parent.graph,
    frame: frameOf(parent, event.parent),
    parent: event.parent,
    node: event.node,
    statics: event.statics,
    groupSize: event.groupSize,
    maxParallel: event.maxParallel,
    total: executions(event.kind, before + units.length, event.groupSize),
    next: 0,
    settled: 0,
    layer: 0,
  });
  const node = nodeOf(graphOf(plan, parent), event.node);
  // The node held the lock until it was opened in this commit; from now on, the fan-out holds it for all units.
  if (node.usesWorkspace) draft.set(`lock/${frameOf(parent, event.parent)}`, event.scope);
}

const executions = (kind: 'map' | 'tree', units: number, groupSize: number): number =>
  kind === 'map' ? units : Math.ceil(units / groupSize);

/** Returns the scope of a fan-out. Throws if there is none with this id. */
export function fanOutOf(draft: Pick<Draft, 'get'>, id: ScopeId): FanOutScope {
  const scope = scopeOf(draft as Draft, id);
  if (scope.type !== 'map' && scope.type !== 'tree') throw new Error(`scope ${id} is not a fan-out`);
  return scope;
}

function layered(draft: Draft, id: ScopeId): void {
  const { joined, ...scope } = fanOutOf(draft, id);
  const units = unitsOf(id, scope);
  const next = joined === undefined ? units : nextUnitsOf(id, scope);
  const results = takeResults(draft, { id, frame: scope.frame }, { from: joined?.units ?? 0, to: scope.total });
  draft.trim(units, 0);
  draft.append(next, results.outputs.map(asUnit));
  draft.set(`scope/${id}`, {
    ...scope,
    ...(joined === undefined ? {} : { units: next }),
    total: executions('tree', draft.size(next), scope.groupSize),
    next: 0,
    settled: 0,
    layer: scope.layer + 1,
  });
}

function left(fold: Fold, id: ScopeId): void {
  const { plan, draft } = fold;
  const scope = fanOutOf(draft, id);
  draft.delete(`scope/${id}`);
  unlockWorkspace(draft, scope.frame, id);
  if (scope.type === 'tree') return;
  const graph = graphOf(plan, scope);
  const node = nodeOf(graph, scope.node);
  draft.trim(unitsOf(id, scope), 0);
  const done = { scopeId: scope.parent, graph, frame: scope.frame, node };
  if (scope.joined !== undefined) {
    const { outputs: _count, units: _all, ...joined } = scope.joined;
    return completeNode(fold, done, { ...joined, list: joinedOutputsOf(id, node) });
  }
  completeNode(fold, done, takeResults(draft, { id, frame: scope.frame }, { from: 0, to: scope.total }));
}

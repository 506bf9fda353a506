import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ActivationRecord, ScopeRecord } from '../records/records.ts';
import type { ScopeRef } from '../records/stop.ts';
import type { NodeInFrame } from './enclosing-terminations.ts';
import { enclosingFrames } from './enclosing-terminations.ts';
import { activationsOf, runOf } from './lookup.ts';
import type { StateView } from './state.ts';

type NodeInScope = Pick<ActivationRecord, 'scope' | 'node'>;

/** An activation that ends when a scope stops; `inner`: it belongs to something that a node of the scope has opened. */
export interface ScopeActivation {
  readonly id: ActivationId;
  readonly record: ActivationRecord;
  readonly inner: boolean;
}

/** Returns whether a node in a frame belongs to a scope. */
export const scopeContains = ({ scope, name }: ScopeRef, { graph, frame, node }: NodeInFrame): boolean =>
  scope === frame && (name === '' || graph.scopes.some(({ id, members }) => id === name && members.has(node)));

/** Returns the activations of a scope, in the order of their keys. */
export function activationsIn(plan: Plan, state: StateView, scope: ScopeRef): readonly ScopeActivation[] {
  return [...activationsOf(state)].flatMap(([id, record]): ScopeActivation[] => {
    if (record.failed) return [];
    const [own, ...enclosing] = enclosingFrames(plan, state, record);
    if (own === undefined) return [];
    if (scopeContains(scope, own)) {
      const at = state.get(`scope/${record.scope}`);
      return [{ id, record, inner: scope.name === '' || (at?.type !== 'graph' && at?.type !== 'cycle') }];
    }
    return enclosing.some((frame) => scopeContains(scope, frame)) ? [{ id, record, inner: true }] : [];
  });
}

/** Scopes, and which activations stay in them. */
interface StayingIn {
  readonly scopes: readonly ScopeRef[];
  readonly stays: (scope: ScopeRef, record: ActivationRecord) => boolean;
}

/** Returns those of the scopes that have activations, all of which stay. */
export function onlyWith(plan: Plan, state: StateView, { scopes, stays }: StayingIn): ReadonlySet<ScopeRef> {
  const byFrame = new Map<ScopeId, ScopeRef[]>();
  for (const scope of scopes) byFrame.set(scope.scope, [...(byFrame.get(scope.scope) ?? []), scope]);
  const found = new Set<ScopeRef>();
  const others = new Set<ScopeRef>();
  for (const [, record] of activationsOf(state))
    for (const scope of record.failed ? [] : scopesAround(plan, state, { record, byFrame }))
      (stays(scope, record) ? found : others).add(scope);
  for (const scope of others) found.delete(scope);
  return found;
}

interface ScopesByFrame {
  readonly record: ActivationRecord;
  readonly byFrame: ReadonlyMap<ScopeId, readonly ScopeRef[]>;
}

/** Yields those of some scopes that an activation belongs to. */
function* scopesAround(plan: Plan, state: StateView, { record, byFrame }: ScopesByFrame): Iterable<ScopeRef> {
  for (const at of enclosingFrames(plan, state, record))
    for (const scope of byFrame.get(at.frame) ?? []) if (scopeContains(scope, at)) yield scope;
}

/** Returns whether an enclosing scope is being stopped, so that nothing may be started here. */
export function isHalted(plan: Plan, state: StateView, activation: NodeInScope): boolean {
  const { halting } = runOf(state);
  if (halting === undefined) return false;
  for (const enclosing of enclosingFrames(plan, state, activation)) {
    if (halting.some((scope) => scopeContains(scope, enclosing))) return true;
  }
  return false;
}

/** Returns the graphs and fan-outs that nodes of a named scope have opened, outermost only. */
export function scopesOpenedBy(plan: Plan, state: StateView, scope: ScopeRef): readonly ScopeId[] {
  return [...state.keys('scope/')].flatMap((key): ScopeId[] => {
    const id = key.slice('scope/'.length) as ScopeId; // the key's form
    const record = state.get(`scope/${id}`);
    if (record?.type === 'map' || record?.type === 'tree') {
      const [own] = enclosingFrames(plan, state, { scope: id, node: record.node });
      return own !== undefined && scopeContains(scope, own) ? [id] : [];
    }
    const caller = record?.type === 'graph' ? record.caller : undefined;
    if (caller === undefined || caller.unit !== undefined) return [];
    const [own] = enclosingFrames(plan, state, caller);
    return own !== undefined && scopeContains(scope, own) ? [id] : [];
  });
}

/** Returns a scope of the engine and all scopes inside it. */
export function scopesWithin(state: StateView, root: ScopeId): readonly ScopeId[] {
  const inside = (id: ScopeId): boolean => {
    for (let at: ScopeId | undefined = id; at !== undefined; ) {
      if (at === root) return true;
      const record: ScopeRecord | undefined = state.get(`scope/${at}`);
      at = record?.type === 'graph' ? record.caller?.scope : record?.parent;
    }
    return false;
  };
  return [...state.keys('scope/')].map((key) => key.slice('scope/'.length) as ScopeId).filter(inside); // the key's form
}

/** Returns `inner` if a dropped activation belongs to something that a node of the stopped scope has opened. */
export function innerFlag(
  { plan, draft }: { readonly plan: Plan; readonly draft: StateView },
  activation: NodeInScope,
): { readonly inner?: true } {
  const [own] = enclosingFrames(plan, draft, activation);
  const at = draft.get(`scope/${activation.scope}`)?.type;
  const isOwn = runOf(draft).halting?.some(
    (scope) => scope.name !== '' && own !== undefined && scopeContains(scope, own),
  );
  return isOwn && (at === 'graph' || at === 'cycle') ? {} : { inner: true };
}

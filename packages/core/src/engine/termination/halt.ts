import type { ScopeId } from '../../model/ids.ts';
import { finalNodeOf } from '../evolve/scopes/evolve-graph.ts';
import type { ActivationRecord } from '../records/records.ts';
import type { InFlight, ScopeRef, StopReason } from '../records/stop.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { readyActivation } from '../state/decision-context.ts';
import { terminationOf } from '../state/enclosing-terminations.ts';
import { isExecuting } from '../state/live.ts';
import { graphOf, runOf, scopeOf } from '../state/lookup.ts';
import { activationsIn, isHalted, onlyWith, scopesOpenedBy } from '../state/stopping-region.ts';
import { clearWaitAlarm, disarmTermination } from './alarms.ts';
import { lastMessageOf, startNextExit, stopMessages } from './exits.ts';

/** A request to stop a scope inside a run. */
export interface HaltRequest extends ScopeRef {
  readonly stop: StopReason;
  readonly inFlight: InFlight;
  /** The node whose activation stops it. */
  readonly node?: number;
}

/** Starts to stop a scope inside the run. */
export function haltScope(context: DecisionContext, { scope, name, stop, inFlight, node }: HaltRequest): void {
  const { draft, plan, emit } = context;
  const record = draft.get(`termination/${scope}/${name}`);
  const termination = terminationOf(plan, draft, { scope, name });
  if (record === undefined || termination === undefined) return;
  const first = record.stop === undefined && name !== '' && termination.exitTo.length > 0;
  const messages = first ? stopMessages(context, { scope, name, since: record.since }, { termination, stop }) : [];
  emit({
    type: 'scope.stopping',
    scope,
    name,
    stop: record.stop ?? stop,
    inFlight,
    messages,
    ...(first ? { bodies: 1 } : {}),
    ...(node === undefined ? {} : { node }),
  });
  for (const { id, record: activation, inner } of activationsIn(plan, draft, { scope, name })) {
    if (inFlight === 'drain' && isExecuting(activation)) continue;
    clearWaitAlarm(context, id);
    emit({ type: 'activation.dropped', activation: id, ...(inner ? { inner } : {}) });
  }
}

/**
 * Ends scopes that are being stopped and in which nothing is executing any more. Returns true if one has ended, so that
 * the nodes after it can be started.
 */
export function finishHaltedScopes(context: DecisionContext): boolean {
  const { draft, plan } = context;
  const halting = runOf(draft).halting ?? [];
  let hasEnded = false;
  // Each unit of a fan-out can have one: they are looked through together, and again only after one of them has changed.
  let busy: ReadonlySet<ScopeRef> | undefined;
  for (const scope of halting) {
    busy ??= onlyWith(plan, draft, { scopes: halting, stays });
    if (busy.has(scope)) continue;
    if (finishHaltedScope(context, scope)) hasEnded = true;
    busy = undefined;
  }
  return hasEnded;
}

/** Returns whether an activation stays in a scope that is being stopped. */
const stays = (scope: ScopeRef, record: ActivationRecord): boolean => isExecuting(record) || isExitOf(scope, record);

function finishHaltedScope(context: DecisionContext, scope: ScopeRef): boolean {
  const { draft, plan, emit } = context;
  if (draft.get(`termination/${scope.scope}/${scope.name}`) === undefined) return false;
  for (const { id, record, inner } of activationsIn(plan, draft, scope)) {
    // Activations that asked a question, or were postponed, while they were allowed to finish.
    if (stays(scope, record)) continue;
    clearWaitAlarm(context, id);
    emit({ type: 'activation.dropped', activation: id, ...(inner ? { inner } : {}) });
  }
  if (activationsIn(plan, draft, scope).length > 0 || startsExit(context, scope)) return false;
  disarmTermination(context, scope);
  if (scope.name === '') leaveFrame(context, scope.scope);
  else {
    for (const opened of scopesOpenedBy(plan, draft, scope)) emit({ type: 'scope.dropped', scope: opened });
    emit({ type: 'scope.stopped', ...scope });
  }
  return true;
}

/** Returns whether an activation is an exit node of the graph; those continue while everything else is stopped. */
const isExitOf = ({ scope, name }: ScopeRef, record: ActivationRecord): boolean =>
  name === '' && record.part === 'exit' && record.scope === scope;

/** Starts the next exit node of a called graph, unless an enclosing scope is being stopped. */
function startsExit(context: DecisionContext, { scope, name }: ScopeRef): boolean {
  const { draft, plan } = context;
  const record = scopeOf(draft, scope);
  const stop = draft.get(`termination/${scope}/${name}`)?.stop;
  if (name !== '' || record.type !== 'graph' || record.caller === undefined || stop === undefined) return false;
  return !isHalted(plan, draft, record.caller) && startNextExit(context, scope, stop);
}

/** Leaves a graph that was stopped, and returns its result to the caller. */
function leaveFrame(context: DecisionContext, id: ScopeId): void {
  const { draft, plan, emit } = context;
  const scope = scopeOf(draft, id);
  const stop = draft.get(`termination/${id}/`)?.stop;
  if (scope.type !== 'graph' || scope.caller === undefined || stop === undefined) return;
  const graph = graphOf(plan, scope);
  const final = finalNodeOf(draft, graph, id);
  const last =
    (final === undefined ? undefined : draft.get(`node/${id}/${final.id}`)?.last) ??
    lastMessageOf(draft, { graph, frame: id });
  emit({ type: 'graph.left', scope: id, stopped: true, ...(last === undefined ? {} : { last }) });
  readyActivation(context, { ...scope.caller, part: 'close', from: `outputs/${id}/`, stop });
}

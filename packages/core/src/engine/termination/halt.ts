import type { ScopeId } from '../../model/ids.ts';
import { finalOf } from '../evolve/evolve-graph.ts';
import type { ActivationRecord } from '../records/records.ts';
import type { InFlight, ScopeName, Stop } from '../records/stop.ts';
import type { Deciding } from '../state/decision-context.ts';
import { nextActivation } from '../state/decision-context.ts';
import { terminationOf } from '../state/enclosing-terminations.ts';
import { isAtWork } from '../state/live.ts';
import { graphOf, runOf, scopeOf } from '../state/lookup.ts';
import { activationsIn, isHalted, openedBy } from '../state/stopping-region.ts';
import { disarmTermination } from './alarms.ts';
import { startExit } from './exits.ts';
import { farewell, lastOf } from './stop-messages.ts';

/** A scope inside a run that is to be stopped. */
export interface Halting extends ScopeName {
  readonly stop: Stop;
  readonly inFlight: InFlight;
  /** The node over which it stops. */
  readonly node?: number;
}

/** Begins to stop a scope inside the run. */
export function haltScope(deciding: Deciding, { scope, name, stop, inFlight, node }: Halting): void {
  const { draft, plan, emit } = deciding;
  const record = draft.get(`termination/${scope}/${name}`);
  const termination = terminationOf(plan, draft, { scope, name });
  if (record === undefined || termination === undefined) return;
  const first = record.stop === undefined && name !== '' && termination.exitTo.length > 0;
  const messages = first ? farewell(deciding, { scope, name, since: record.since }, { termination, stop }) : [];
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
    if (inFlight === 'drain' && isAtWork(activation)) continue;
    emit({ type: 'activation.dropped', activation: id, ...(inner ? { inner } : {}) });
  }
}

/**
 * Ends scopes that are being stopped and in which nothing is at work any more. True when one has ended, so that what
 * comes after it can be started.
 */
export function pursueHalts(deciding: Deciding): boolean {
  const { draft } = deciding;
  const halting = runOf(draft).halting ?? [];
  return halting.map((scope) => pursue(deciding, scope)).some(Boolean);
}

function pursue(deciding: Deciding, scope: ScopeName): boolean {
  const { draft, plan, emit } = deciding;
  if (draft.get(`termination/${scope.scope}/${scope.name}`) === undefined) return false;
  for (const { id, record, inner } of activationsIn(plan, draft, scope)) {
    // What has asked somebody, or was put off, while it was allowed to finish.
    if (!isAtWork(record) && !isExitOf(scope, record))
      emit({ type: 'activation.dropped', activation: id, ...(inner ? { inner } : {}) });
  }
  if (activationsIn(plan, draft, scope).length > 0 || leadsOut(deciding, scope)) return false;
  disarmTermination(deciding, scope);
  if (scope.name === '') leaveFrame(deciding, scope.scope);
  else {
    for (const opened of openedBy(plan, draft, scope)) emit({ type: 'scope.dropped', scope: opened });
    emit({ type: 'scope.stopped', ...scope });
  }
  return true;
}

/** What comes last in a graph goes on when everything else in it has been stopped. */
const isExitOf = ({ scope, name }: ScopeName, record: ActivationRecord): boolean =>
  name === '' && record.part === 'exit' && record.scope === scope;

/** Starts what comes last in a call of a graph, unless the call is given up with what is around it. */
function leadsOut(deciding: Deciding, { scope, name }: ScopeName): boolean {
  const { draft, plan } = deciding;
  const record = scopeOf(draft, scope);
  const stop = draft.get(`termination/${scope}/${name}`)?.stop;
  if (name !== '' || record.type !== 'graph' || record.caller === undefined || stop === undefined) return false;
  return !isHalted(plan, draft, record.caller) && startExit(deciding, scope, stop);
}

/** A graph that was stopped gives its caller what it has come to. */
function leaveFrame({ draft, plan, emit, nonce }: Deciding, id: ScopeId): void {
  const scope = scopeOf(draft, id);
  const stop = draft.get(`termination/${id}/`)?.stop;
  if (scope.type !== 'graph' || scope.caller === undefined || stop === undefined) return;
  const graph = graphOf(plan, scope);
  const final = finalOf(draft, graph, id);
  const last =
    (final === undefined ? undefined : draft.get(`node/${id}/${final.id}`)?.last) ??
    lastOf(draft, { graph, frame: id });
  emit({ type: 'graph.left', scope: id, stopped: true, ...(last === undefined ? {} : { last }) });
  emit({
    type: 'activation.ready',
    activation: nextActivation(draft),
    ...scope.caller,
    part: 'close',
    token: nonce,
    from: `outputs/${id}/`,
    stop,
  });
}

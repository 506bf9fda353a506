import type { ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { Plan } from '../../plan/plan.ts';
import { fanOutOf } from '../evolve/scopes/evolve-fan-out.ts';
import { finalNodeOf } from '../evolve/scopes/evolve-graph.ts';
import { unitsOf } from '../evolve/scopes/evolve-join.ts';
import type { StopReason } from '../records/stop.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { finishRun, readyActivation } from '../state/decision-context.ts';
import { canStart, isExecuting } from '../state/live.ts';
import { activationsOf, runOf } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';
import { isHalted } from '../state/stopping-region.ts';
import { admitNextToWorkspace } from '../state/workspace-lock.ts';
import { leaveIdleScopes } from '../termination/enter-scopes.ts';
import { lastMessageOf, startNextExit } from '../termination/exits.ts';
import { finishHaltedScopes } from '../termination/halt.ts';
import { advanceCycle } from './cycle.ts';
import { advanceGraph } from './graph.ts';

/**
 * Starts everything that is due in a scope after a change, and in the enclosing scopes as far as they are affected. A
 * run that is stopping or failing starts nothing new and ends as soon as nothing is executing any more.
 */
export function advance(context: DecisionContext, scope: ScopeId): void {
  startDue(context, scope);
  endIdle(context);
}

/** Starts everything that is due anywhere in the run. */
export function advanceAll(context: DecisionContext): void {
  for (const key of [...context.draft.keys('scope/')]) {
    const scope = key.slice('scope/'.length) as ScopeId; // the key's form
    startDue(context, scope);
    admitNextToWorkspace(context, scope);
  }
  // Once for all: a run can have thousands of scopes, of which hundreds are being stopped.
  endIdle(context);
}

function startDue(context: DecisionContext, scope: ScopeId): void {
  let next: ScopeId | undefined = scope;
  while (next !== undefined && runOf(context.draft).status === 'running') next = step(context, next);
}

/** Ends scopes, and the run, in which nothing is executing any more. */
function endIdle(context: DecisionContext): void {
  const { halting, entered, status } = runOf(context.draft);
  // A run that itself fails or stops does this later: activations of it that failed can then still be dropped.
  if (halting !== undefined && (status === 'running' || status === 'paused') && finishHaltedScopes(context))
    return advanceAll(context);
  if (entered !== undefined && runOf(context.draft).status === 'running') leaveIdleScopes(context);
  finishIfIdle(context);
}

/** Ends a run that is stopping or failing, unless an activation is still executing. */
export function finishIfIdle(context: DecisionContext): void {
  const { draft } = context;
  const run = runOf(draft);
  if (run.status !== 'stopping' && run.status !== 'failing') return;
  for (const [, record] of activationsOf(draft)) if (isExecuting(record) || canStart(run, record)) return;
  if (run.status === 'stopping') return terminate(context, run.stop);
  finishRun(context, { status: 'failed', ...(run.error === undefined ? {} : { error: run.error }) });
}

/** Ends a run that was stopped, after its exit nodes. */
function terminate(context: DecisionContext, stop: StopReason | undefined): void {
  const { draft, plan } = context;
  if (stop !== undefined && startNextExit(context, rootScope, stop)) return;
  const output = resultOf(plan, draft);
  finishRun(context, {
    status: 'terminated',
    ...(output === undefined ? {} : { output }),
    ...(stop === undefined ? {} : { stop }),
  });
}

/**
 * Returns the result of a run that was stopped: the output of its first final node that has one, or else the last
 * message.
 */
function resultOf(plan: Plan, draft: Draft): MessageRef | undefined {
  const graph = plan.graphs.get('');
  if (graph === undefined) return undefined;
  const final = finalNodeOf(draft, graph, rootScope);
  const last = final === undefined ? undefined : draft.get(`node/${rootScope}/${final.id}`)?.last;
  return last ?? lastMessageOf(draft, { graph, frame: rootScope });
}

/** Advances one scope. Returns the enclosing scope when this one is settled. */
function step(context: DecisionContext, id: ScopeId): ScopeId | undefined {
  const { draft, plan } = context;
  const scope = draft.get(`scope/${id}`);
  if (scope !== undefined && isHalted(plan, draft, { scope: id, node: 'node' in scope ? scope.node : -1 }))
    return undefined;
  switch (scope?.type) {
    case 'graph':
      return advanceGraph(context, id, scope);
    case 'cycle':
      return advanceCycle(context, id);
    case 'map':
    case 'tree':
      return advanceFanOut(context, id);
    case undefined:
      return undefined;
  }
}

/** Maximum number of units that one commit wakes; the others are a range in the scope's record, not jobs. */
const chunk = 256;
/** Maximum number of layers: a tree whose groups return more than they take would never end. */
const layerCap = 101;

/**
 * Wakes units as far as `maxParallel` allows. When all have settled, leaves the fan-out and returns the enclosing
 * scope; the results of very many are joined by an activation before.
 */
function advanceFanOut(context: DecisionContext, id: ScopeId): ScopeId | undefined {
  const { draft, emit, unitsPerCommit } = context;
  const scope = fanOutOf(draft, id);
  if (scope.settled < scope.total) {
    wakeUnits(context, id);
    return undefined;
  }
  const { parent, node } = scope;
  if (scope.total > unitsPerCommit && (scope.joined?.units ?? 0) < scope.total) {
    if (scope.joined === undefined) readyActivation(context, { scope: id, node, part: 'join' });
    return undefined;
  }
  if (scope.type === 'map') {
    emit({ type: 'fanout.left', scope: id });
    return parent;
  }
  emit({ type: 'fanout.layered', scope: id });
  const layered = fanOutOf(draft, id);
  const units = unitsOf(id, layered);
  if (draft.size(units) > 1 && layered.layer < layerCap) {
    wakeUnits(context, id);
    return undefined;
  }
  emit({ type: 'fanout.left', scope: id });
  readyActivation(context, { scope: parent, node, part: 'close', from: units });
  return undefined;
}

function wakeUnits(context: DecisionContext, id: ScopeId): void {
  const { node, total, next, settled, maxParallel } = fanOutOf(context.draft, id);
  const count = Math.min(total - next, maxParallel - (next - settled), chunk);
  for (let unit = next; unit < next + count; unit++) readyActivation(context, { scope: id, node, part: 'unit', unit });
}

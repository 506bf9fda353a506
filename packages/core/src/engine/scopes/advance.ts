import type { ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { MessageRef } from '../../model/message.ts';
import type { Plan } from '../../plan/plan.ts';
import { finalOf } from '../evolve/evolve-graph.ts';
import type { Stop } from '../records/stop.ts';
import type { Deciding } from '../state/decision-context.ts';
import { isAtWork, mayBegin } from '../state/live.ts';
import { activationsOf, runOf } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';
import { isHalted } from '../state/stopping-region.ts';
import { passTurn } from '../state/workspace-lock.ts';
import { leaveIdleScopes } from '../termination/enter-scopes.ts';
import { startExit } from '../termination/exits.ts';
import { pursueHalts } from '../termination/halt.ts';
import { lastOf } from '../termination/stop-messages.ts';
import { advanceCycle } from './cycle.ts';
import { advanceFanOut } from './fan-out.ts';
import { advanceGraph } from './graph.ts';

/**
 * Starts whatever is due in a scope after something in it has changed, and in the scopes around it as far as that goes.
 * A run that is stopping or failing starts nothing new and ends as soon as nothing is at work any more.
 */
export function advance(deciding: Deciding, scope: ScopeId): void {
  let next: ScopeId | undefined = scope;
  while (next !== undefined && runOf(deciding.draft).status === 'running') next = step(deciding, next);
  const { halting, entered, status } = runOf(deciding.draft);
  // A run that fails or is stopped itself goes on with this later: what has failed in it is then still there to be dropped.
  if (halting !== undefined && (status === 'running' || status === 'paused') && pursueHalts(deciding))
    return advanceAll(deciding);
  if (entered !== undefined && runOf(deciding.draft).status === 'running') leaveIdleScopes(deciding);
  endHalted(deciding);
}

/** Starts whatever is due anywhere in the run, as far as it was held up. */
export function advanceAll(deciding: Deciding): void {
  for (const key of [...deciding.draft.keys('scope/')]) {
    const scope = key.slice('scope/'.length) as ScopeId; // the key's form
    advance(deciding, scope);
    passTurn(deciding, scope);
  }
}

/** Ends a run that is stopping or failing, unless something is still at work. */
export function endHalted(deciding: Deciding): void {
  const { draft, emit } = deciding;
  const run = runOf(draft);
  if (run.status !== 'stopping' && run.status !== 'failing') return;
  for (const [, record] of activationsOf(draft)) if (isAtWork(record) || mayBegin(run, record)) return;
  if (run.status === 'stopping') return terminate(deciding, run.stop);
  emit({ type: 'run.finished', status: 'failed', ...(run.error === undefined ? {} : { error: run.error }) });
}

/** Ends a run that was stopped, unless something comes last in it. */
function terminate(deciding: Deciding, stop: Stop | undefined): void {
  const { draft, plan, emit } = deciding;
  if (stop !== undefined && startExit(deciding, rootScope, stop)) return;
  const output = resultOf(plan, draft);
  emit({
    type: 'run.finished',
    status: 'terminated',
    ...(output === undefined ? {} : { output }),
    ...(stop === undefined ? {} : { stop }),
  });
}

/** What a run has come to that was stopped: the output of its first end node that has one, or else what was said last. */
function resultOf(plan: Plan, draft: Draft): MessageRef | undefined {
  const graph = plan.graphs.get('');
  if (graph === undefined) return undefined;
  const final = finalOf(draft, graph, rootScope);
  const last = final === undefined ? undefined : draft.get(`node/${rootScope}/${final.id}`)?.last;
  return last ?? lastOf(draft, { graph, frame: rootScope });
}

/** Advances one scope; returns the scope around it when this one is through. */
function step(deciding: Deciding, id: ScopeId): ScopeId | undefined {
  const { draft, plan } = deciding;
  const scope = draft.get(`scope/${id}`);
  if (scope !== undefined && isHalted(plan, draft, { scope: id, node: 'node' in scope ? scope.node : -1 }))
    return undefined;
  switch (scope?.type) {
    case 'graph':
      return advanceGraph(deciding, id, scope);
    case 'cycle':
      return advanceCycle(deciding, id);
    case 'map':
    case 'tree':
      return advanceFanOut(deciding, id);
    case undefined:
      return undefined;
  }
}

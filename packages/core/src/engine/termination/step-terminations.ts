import type { AlarmId, ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { PlanTermination } from '../../plan/termination.ts';
import type { ConditionObservations, ScopeObservation } from '../commands/settlement.ts';
import { ongoingPauseMs } from '../evolve/scopes/evolve-termination.ts';
import type { MetCondition, ScopeRef, StopReason } from '../records/stop.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { activeTerminations, terminationOf } from '../state/enclosing-terminations.ts';
import { graphOf, runOf } from '../state/lookup.ts';
import { armTermination, terminationAlarmId } from './alarms.ts';
import { haltScope } from './halt.ts';
import { stepTree, stopReasonText } from './step-tree.ts';

/** Steps the terminations that enclose a delta, inner ones first, with their observations in it. */
export function stepTerminations(
  context: DecisionContext,
  observed: readonly ScopeObservation[],
  node?: { readonly frame: ScopeId; readonly node: number },
): Refusal | undefined {
  for (const { leaves, ...scope } of observed) {
    const own = node !== undefined && node.frame === scope.scope ? node.node : undefined;
    const refusal = stepTermination(context, scope, { leaves, ...(own === undefined ? {} : { node: own }) });
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Checks the time limits of all terminations after the run was resumed, inner ones first, and sets their alarms. */
export function restartTerminationTimers(context: DecisionContext): void {
  for (const scope of activeTerminations(context.plan, context.draft)) {
    stepTermination(context, scope, { leaves: {} });
    armTermination(context, scope);
  }
}

/** Steps the termination of one scope; does nothing if there is none, or if the scope is being stopped. */
export function stepTermination(
  context: DecisionContext,
  scope: ScopeRef,
  { leaves, node }: { readonly leaves: ConditionObservations; readonly node?: number },
): Refusal | undefined {
  const { draft, plan, emit, at } = context;
  const record = draft.get(`termination/${scope.scope}/${scope.name}`);
  const { status } = runOf(draft);
  if (record === undefined || record.stop !== undefined || (status !== 'running' && status !== 'paused'))
    return undefined;
  const termination = terminationOf(plan, draft, scope);
  if (termination === undefined) return undefined;
  const before = record.cells[termination.tree.path]?.met;
  const atNode = node === undefined ? {} : { node };
  if (before !== undefined) {
    // The termination was satisfied when another condition failed the run, and the run was resumed after that.
    stopScope(context, scope, { termination, met: before, ...atNode });
    return undefined;
  }
  const { changed, met, failure, moved } = stepTree(termination.tree, record.cells, {
    observed: leaves,
    elapsedMs: at - record.startedAt,
    pausedMs: record.pausedMs + ongoingPauseMs(runOf(draft), record, at),
  });
  if (moved) return refuse('TERMINATION_MOVED', 'The state of a termination has changed since it was observed.');
  if (Object.keys(changed).length > 0) emit({ type: 'termination.moved', ...scope, cells: changed });
  if (failure !== undefined) emit({ type: 'run.failing', error: failure });
  else if (met !== undefined) stopScope(context, scope, { termination, met, ...atNode });
  return undefined;
}

interface SatisfiedTermination {
  readonly termination: PlanTermination;
  readonly met: readonly MetCondition[];
  readonly node?: number;
}

function stopScope(context: DecisionContext, scope: ScopeRef, { termination, met, node }: SatisfiedTermination): void {
  const { emit, at, nonce } = context;
  const stop: StopReason = { code: met[0]?.type ?? 'external', text: stopReasonText(met), leaves: met };
  const policy = met.some(({ cancels }) => cancels) ? 'cancel' : termination.inFlight;
  const inFlight = policy === 'cancel' ? 'cancel' : 'drain';
  if (isRoot(scope)) emit({ type: 'run.stopping', stop, inFlight });
  else haltScope(context, { ...scope, stop, inFlight, ...(node === undefined ? {} : { node }) });
  if (typeof policy === 'object') {
    const dueAt = at + policy.drain_seconds * 1000;
    emit({ type: 'alarm.set', alarm: terminationAlarmId(context, scope, 'drain'), dueAt, token: nonce });
  }
}

const isRoot = ({ scope, name }: ScopeRef): boolean => scope === rootScope && name === '';

/** Handles an alarm of a scope. Returns false if it is not one. */
export function handleTerminationAlarm(context: DecisionContext, alarm: AlarmId): boolean {
  const [, kind, id, index] = /^alarm\/(termination|drain)-(s\d+)-(-?\d+)$/.exec(alarm) ?? [];
  if (kind === undefined) return false;
  const { draft, plan, emit } = context;
  const scope = id as ScopeId; // the pattern's second group
  const record = draft.get(`scope/${scope}`);
  if (record === undefined) return true;
  const name = graphOf(plan, record).scopes[Number(index)]?.id ?? '';
  if (kind === 'termination') {
    stepTermination(context, { scope, name }, { leaves: {} });
    armTermination(context, { scope, name });
    return true;
  }
  const { status, stop } = runOf(draft);
  const own = draft.get(`termination/${scope}/${name}`)?.stop;
  if (own !== undefined) haltScope(context, { scope, name, stop: own, inFlight: 'cancel' });
  else if (isRoot({ scope, name }) && status === 'stopping' && stop !== undefined)
    emit({ type: 'run.stopping', stop, inFlight: 'cancel' });
  return true;
}

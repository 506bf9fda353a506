import type { AlarmId, ScopeId } from '../../model/ids.ts';
import { rootScope } from '../../model/ids.ts';
import type { PlanTermination } from '../../plan/termination.ts';
import type { Observed, ObservedLeaves } from '../commands/command.ts';
import type { Refusal } from '../commands/refusal.ts';
import { refuse } from '../commands/refusal.ts';
import { pausedOf } from '../evolve/evolve-termination.ts';
import type { MetLeaf, ScopeName, Stop } from '../records/stop.ts';
import type { Deciding } from '../state/decision-context.ts';
import { enteredTerminations, terminationOf } from '../state/enclosing-terminations.ts';
import { graphOf, runOf } from '../state/lookup.ts';
import { alarmOf, armTermination } from './alarms.ts';
import { haltScope } from './halt.ts';
import { reasonOf, stepTree } from './step-tree.ts';

/** Steps the terminations around a delta, inner ones first, with what their leaves have seen in it. */
export function watchTerminations(
  deciding: Deciding,
  observed: readonly Observed[],
  node?: { readonly frame: ScopeId; readonly node: number },
): Refusal | undefined {
  for (const { leaves, ...scope } of observed) {
    const own = node !== undefined && node.frame === scope.scope ? node.node : undefined;
    const refusal = stepTermination(deciding, scope, { leaves, ...(own === undefined ? {} : { node: own }) });
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Looks at all terminations after the run has stood still, inner ones first, and sets their alarms. */
export function wakeTerminations(deciding: Deciding): void {
  for (const scope of enteredTerminations(deciding.plan, deciding.draft)) {
    stepTermination(deciding, scope, { leaves: {} });
    armTermination(deciding, scope);
  }
}

/** Steps the termination of one scope; nothing happens where there is none, or where it is being stopped already. */
export function stepTermination(
  deciding: Deciding,
  scope: ScopeName,
  { leaves, node }: { readonly leaves: ObservedLeaves; readonly node?: number },
): Refusal | undefined {
  const { draft, plan, emit, at } = deciding;
  const record = draft.get(`termination/${scope.scope}/${scope.name}`);
  const { status } = runOf(draft);
  if (record === undefined || record.stop !== undefined || (status !== 'running' && status !== 'paused'))
    return undefined;
  const termination = terminationOf(plan, draft, scope);
  if (termination === undefined) return undefined;
  const before = record.cells[termination.tree.path]?.met;
  const where = node === undefined ? {} : { node };
  if (before !== undefined) {
    // It was met when another condition failed the run, and the run goes on after that.
    fire(deciding, scope, { termination, met: before, ...where });
    return undefined;
  }
  const { changed, met, failure, moved } = stepTree(termination.tree, record.cells, {
    observed: leaves,
    elapsedMs: at - record.startedAt,
    pausedMs: record.pausedMs + pausedOf(runOf(draft), record, at),
  });
  if (moved) return refuse('TERMINATION_MOVED', 'The state of a termination has changed since it was observed.');
  if (Object.keys(changed).length > 0) emit({ type: 'termination.moved', ...scope, cells: changed });
  if (failure !== undefined) emit({ type: 'run.failing', error: failure });
  else if (met !== undefined) fire(deciding, scope, { termination, met, ...where });
  return undefined;
}

interface Fired {
  readonly termination: PlanTermination;
  readonly met: readonly MetLeaf[];
  readonly node?: number;
}

function fire(deciding: Deciding, scope: ScopeName, { termination, met, node }: Fired): void {
  const { emit, at, nonce } = deciding;
  const stop: Stop = { code: met[0]?.type ?? 'external', text: reasonOf(met), leaves: met };
  const policy = met.some(({ cancels }) => cancels) ? 'cancel' : termination.inFlight;
  const inFlight = policy === 'cancel' ? 'cancel' : 'drain';
  if (isRoot(scope)) emit({ type: 'run.stopping', stop, inFlight });
  else haltScope(deciding, { ...scope, stop, inFlight, ...(node === undefined ? {} : { node }) });
  if (typeof policy === 'object') {
    const dueAt = at + policy.drain_seconds * 1000;
    emit({ type: 'alarm.set', alarm: alarmOf(deciding, scope, 'drain'), dueAt, token: nonce });
  }
}

const isRoot = ({ scope, name }: ScopeName): boolean => scope === rootScope && name === '';

/** Does what an alarm of a scope was set for; false when it is no such alarm. */
export function ringTermination(deciding: Deciding, alarm: AlarmId): boolean {
  const [, kind, id, place] = /^alarm\/(termination|drain)-(s\d+)-(-?\d+)$/.exec(alarm) ?? [];
  if (kind === undefined) return false;
  const { draft, plan, emit } = deciding;
  const scope = id as ScopeId; // as the pattern has it
  const record = draft.get(`scope/${scope}`);
  if (record === undefined) return true;
  const name = graphOf(plan, record).scopes[Number(place)]?.id ?? '';
  if (kind === 'termination') {
    stepTermination(deciding, { scope, name }, { leaves: {} });
    armTermination(deciding, { scope, name });
    return true;
  }
  const { status, stop } = runOf(draft);
  const own = draft.get(`termination/${scope}/${name}`)?.stop;
  if (own !== undefined) haltScope(deciding, { scope, name, stop: own, inFlight: 'cancel' });
  else if (isRoot({ scope, name }) && status === 'stopping' && stop !== undefined)
    emit({ type: 'run.stopping', stop, inFlight: 'cancel' });
  return true;
}

import type { ActivationId, ScopeId } from '../../model/ids.ts';
import { fanOutOf } from '../evolve/scopes/evolve-fan-out.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import { liveActivation } from '../state/live.ts';
import { isHalted } from '../state/stopping-region.ts';

/**
 * Puts the results of the next part of the units of a large fan-out in order. To do that for all of them in the commit that
 * ends the fan-out would stop Redis, and all tenants with it. An attempt that dies in between is followed by one that joins
 * the rest. The last part is joined by the settlement of the activation.
 */
interface JoinUnitsCommand {
  readonly type: 'units.join';
  readonly activation: ActivationId;
  readonly token: string;
}

/** Joins the next part of the units, unless only the last part is left, or the fan-out will be dropped. */
export function joinUnits(context: DecisionContext, command: JoinUnitsCommand): Refusal | undefined {
  const live = liveActivation(context.draft, command);
  if (live.type === 'refused') return live;
  const { scope } = live.record;
  if (isHalted(context.plan, context.draft, live.record))
    return refuse(
      'SCOPE_STOPPING',
      `What surrounds activation ${command.activation} is stopping: it ends no fan-out any more.`,
    );
  if (leftOf(context, scope) <= context.unitsPerCommit)
    return refuse('UNITS_JOINED', `All units of fan-out ${scope} are joined but the last ones.`);
  context.emit({ type: 'units.joined', scope, units: context.unitsPerCommit });
  return undefined;
}

/** Joins the last part of the units, or refuses if it is not the last one. */
export function joinLastUnits(context: DecisionContext, scope: ScopeId): Refusal | undefined {
  const units = leftOf(context, scope);
  if (units > context.unitsPerCommit)
    return refuse('UNITS_MOVED', `${units} units of fan-out ${scope} are not joined yet.`);
  context.emit({ type: 'units.joined', scope, units });
  return undefined;
}

function leftOf({ draft }: DecisionContext, id: ScopeId): number {
  const { total, joined } = fanOutOf(draft, id);
  return total - (joined?.units ?? 0);
}

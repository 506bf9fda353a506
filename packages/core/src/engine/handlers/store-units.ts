import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { MessageBody } from '../../model/messages/message.ts';
import type { NewMessage } from '../commands/new-message.ts';
import type { StoredUnits } from '../commands/settlement.ts';
import type { DecisionContext, Refusal } from '../state/decision-context.ts';
import { nextScope, refuse } from '../state/decision-context.ts';
import { liveActivation } from '../state/live.ts';
import type { Draft, StateView } from '../state/state.ts';
import { isHalted } from '../state/stopping-region.ts';

/**
 * Stores a part of the units of a fan-out before it is opened. Opening a large one in one commit would stop Redis, and all
 * tenants with it, for seconds. An attempt that dies in between is followed by one that stores the rest.
 */
export interface StoreUnitsCommand {
  readonly type: 'units.store';
  readonly activation: ActivationId;
  readonly token: string;
  /** The units that are stored before these, of the same input. */
  readonly before: StoredUnits;
  readonly units: readonly NewMessage[];
  readonly bodies: readonly MessageBody[];
}

/** Stores the units, unless others are stored than the worker knew, or the fan-out will not be entered. */
export function storeUnits(
  { draft, plan, emit, toMessageRef }: DecisionContext,
  command: StoreUnitsCommand,
): Refusal | undefined {
  const live = liveActivation(draft, command);
  if (live.type === 'refused') return live;
  const { activation, before, units } = command;
  if (live.record.part !== 'exit' && isHalted(plan, draft, live.record))
    return refuse(
      'SCOPE_STOPPING',
      `What surrounds activation ${activation} is stopping: it enters no fan-out any more.`,
    );
  if (storedUnits(draft, activation, before.cut) !== before.count) return unitsMoved(activation);
  const scope = live.record.stored?.scope ?? nextScope(draft);
  emit({ type: 'units.stored', scope, activation, cut: before.cut, units: units.map(toMessageRef) });
  return undefined;
}

/** Removes the units that an earlier attempt has stored for an activation that opens no fan-out: its input has none. */
export function dropUnits({ draft, emit }: DecisionContext, activation: ActivationId): void {
  const stored = draft.get(`activation/${activation}`)?.stored;
  if (stored !== undefined) emit({ type: 'units.stored', scope: stored.scope, activation, cut: '', units: [] });
}

/** Returns the number of units of this input that are stored for a fan-out that the activation will open. */
export function storedUnits(state: StateView, activation: ActivationId, cut: string): number {
  const stored = state.get(`activation/${activation}`)?.stored;
  return stored?.cut === cut ? state.list(`units/${stored.scope}`).length : 0;
}

/** Returns the scope of a fan-out that is opened, or the refusal if other units are stored for it than the worker knew. */
export function scopeToOpen(
  draft: Draft,
  activation: ActivationId,
  before: StoredUnits | undefined,
): ScopeId | Refusal {
  const stored = draft.get(`activation/${activation}`)?.stored;
  if (stored === undefined && before === undefined) return nextScope(draft);
  if (stored === undefined || before === undefined || storedUnits(draft, activation, before.cut) !== before.count)
    return unitsMoved(activation);
  return stored.scope;
}

const unitsMoved = (activation: ActivationId): Refusal =>
  refuse('UNITS_MOVED', `Other units are stored for activation ${activation} than its worker knew. Read them again.`);

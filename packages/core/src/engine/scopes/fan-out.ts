import type { ScopeId } from '../../model/ids.ts';
import { fanOutOf } from '../evolve/evolve-fan-out.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { nextActivation } from '../state/decision-context.ts';

/** How many units one commit wakes at most; the rest is a range in the scope's record, not jobs. */
const chunk = 256;
/** A tree whose groups return more than they take would never end; from this layer on it is left as it is. */
const layerCap = 101;

/** Wakes units as long as there is room, and ends the fan-out when all have settled. Returns the scope around it then. */
export function advanceFanOut(context: DecisionContext, id: ScopeId): ScopeId | undefined {
  const { draft, emit, nonce } = context;
  const scope = fanOutOf(draft, id);
  if (scope.settled < scope.total) {
    wakeUnits(context, id);
    return undefined;
  }
  if (scope.type === 'map') {
    emit({ type: 'fanout.left', scope: id });
    return scope.parent;
  }
  emit({ type: 'fanout.layered', scope: id });
  const { layer } = fanOutOf(draft, id);
  if (draft.size(`units/${id}`) > 1 && layer < layerCap) {
    wakeUnits(context, id);
    return undefined;
  }
  emit({ type: 'fanout.left', scope: id });
  const activation = nextActivation(draft);
  emit({
    type: 'activation.ready',
    activation,
    scope: scope.parent,
    node: scope.node,
    part: 'close',
    token: nonce,
    from: `units/${id}`,
  });
  return undefined;
}

function wakeUnits({ draft, emit, nonce }: DecisionContext, id: ScopeId): void {
  const { node, total, next, settled, maxParallel } = fanOutOf(draft, id);
  const room = Math.min(total - next, maxParallel - (next - settled), chunk);
  for (let unit = next; unit < next + room; unit++) {
    emit({
      type: 'activation.ready',
      activation: nextActivation(draft),
      scope: id,
      node,
      part: 'unit',
      token: nonce,
      unit,
    });
  }
}

import type { ScopeId } from '../../model/ids.ts';
import { fanOutOf } from '../evolve/scopes/evolve-fan-out.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { nextActivation } from '../state/decision-context.ts';

/** Maximum number of units that one commit wakes; the others are a range in the scope's record, not jobs. */
const chunk = 256;
/** Maximum number of layers: a tree whose groups return more than they take would never end. */
const layerCap = 101;

/**
 * Wakes units as far as `maxParallel` allows. When all have settled, leaves the fan-out and returns the enclosing
 * scope.
 */
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
  const count = Math.min(total - next, maxParallel - (next - settled), chunk);
  for (let unit = next; unit < next + count; unit++) {
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

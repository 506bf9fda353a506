import type { ScopeId } from '../model/ids.ts';
import type { Deciding } from './deciding.ts';
import { isAtWork } from './live.ts';
import { activationsOf, runOf } from './lookup.ts';
import { advanceCycle } from './scopes/cycle.ts';
import { advanceFanOut } from './scopes/fan-out.ts';
import { advanceGraph } from './scopes/graph.ts';
import { passTurn } from './turn.ts';

/**
 * Starts whatever is due in a scope after something in it has changed, and in the scopes around it as far as that goes.
 * A run that is stopping or failing starts nothing new and ends as soon as nothing is at work any more.
 */
export function advance(deciding: Deciding, scope: ScopeId): void {
  let next: ScopeId | undefined = scope;
  while (next !== undefined && runOf(deciding.draft).status === 'running') next = step(deciding, next);
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
export function endHalted({ draft, emit }: Deciding): void {
  const { status, error, stop } = runOf(draft);
  if (status !== 'stopping' && status !== 'failing') return;
  for (const [, record] of activationsOf(draft)) if (isAtWork(record)) return;
  if (status === 'stopping')
    emit({ type: 'run.finished', status: 'terminated', ...(stop === undefined ? {} : { stop }) });
  else emit({ type: 'run.finished', status: 'failed', ...(error === undefined ? {} : { error }) });
}

/** Advances one scope; returns the scope around it when this one is through. */
function step(deciding: Deciding, id: ScopeId): ScopeId | undefined {
  const scope = deciding.draft.get(`scope/${id}`);
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

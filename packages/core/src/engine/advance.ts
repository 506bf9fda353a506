import type { ScopeId } from '../model/ids.ts';
import type { Deciding } from './deciding.ts';
import { runOf } from './lookup.ts';
import { advanceCycle } from './scopes/cycle.ts';
import { advanceFanOut } from './scopes/fan-out.ts';
import { advanceGraph } from './scopes/graph.ts';

/**
 * Starts whatever is due in a scope after something in it has changed, and in the scopes around it as far as that goes.
 * When the run is failing nothing new is started: it ends as soon as nothing is at work any more.
 */
export function advance(deciding: Deciding, scope: ScopeId): void {
  let next: ScopeId | undefined = scope;
  while (next !== undefined) {
    if (runOf(deciding.draft).error !== undefined) return finishFailing(deciding);
    next = step(deciding, next);
  }
  if (runOf(deciding.draft).error !== undefined) finishFailing(deciding);
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

function finishFailing({ draft, emit }: Deciding): void {
  const run = runOf(draft);
  if (run.status !== 'running' || run.error === undefined || run.live > run.waiting) return;
  emit({ type: 'run.finished', status: 'failed', error: run.error });
}

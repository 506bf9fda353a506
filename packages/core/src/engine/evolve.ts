import type { Event } from './event.ts';
import { evolveActivation } from './evolve-activation.ts';
import type { Fold } from './fold.ts';
import { fail } from './fold.ts';
import { runOf } from './lookup.ts';
import { evolveCycle } from './scopes/cycle-state.ts';
import { evolveFanOut } from './scopes/fan-out-state.ts';
import { evolveGraph } from './scopes/graph-state.ts';

/** Folds one event into the state. It never fails on an event that `decide` produced, and never decides anything itself. */
export function evolve(fold: Fold, event: Event): void {
  switch (event.type) {
    case 'run.started':
      fold.draft.set('run', {
        status: 'running',
        plan: event.plan,
        startedAt: fold.at,
        nextActivation: 1,
        nextMessage: 1,
        nextScope: 0,
        nextArrival: 1,
        live: 0,
        waiting: 0,
        activations: 0,
        usage: { calls: 0, promptTokens: 0, completionTokens: 0 },
      });
      break;
    case 'run.failing':
      fail(fold, event.error);
      break;
    case 'run.finished': {
      const { output, error } = event;
      const run = runOf(fold.draft);
      fold.draft.set('run', {
        ...run,
        status: event.status,
        finishedAt: fold.at,
        ...(output === undefined ? {} : { output }),
        ...(error === undefined ? {} : { error }),
      });
      break;
    }
    case 'graph.entered':
    case 'graph.left':
    case 'items.skipped':
      evolveGraph(fold, event);
      break;
    case 'cycle.entered':
    case 'cycle.iterated':
    case 'cycle.levelled':
    case 'cycle.left':
      evolveCycle(fold, event);
      break;
    case 'fanout.entered':
    case 'fanout.layered':
    case 'fanout.left':
      evolveFanOut(fold, event);
      break;
    default:
      evolveActivation(fold, event);
  }
  if (event.bodies !== undefined) {
    const run = runOf(fold.draft);
    fold.draft.set('run', { ...run, nextMessage: run.nextMessage + event.bodies });
  }
}

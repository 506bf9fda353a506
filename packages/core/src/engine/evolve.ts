import type { Event } from './event.ts';
import { evolveActivation } from './evolve-activation.ts';
import { evolveBudget } from './evolve-budget.ts';
import { evolveRun } from './evolve-run.ts';
import { addFiles } from './files.ts';
import type { Fold } from './fold.ts';
import { runOf } from './lookup.ts';
import { evolveCycle } from './scopes/cycle-state.ts';
import { evolveFanOut } from './scopes/fan-out-state.ts';
import { evolveGraph } from './scopes/graph-state.ts';

/** Folds one event into the state. It never fails on an event that `decide` produced, and never decides anything itself. */
export function evolve(fold: Fold, event: Event): void {
  switch (event.type) {
    case 'run.started':
    case 'run.failing':
    case 'run.stopping':
    case 'run.paused':
    case 'run.resumed':
    case 'run.told':
    case 'run.finished':
    case 'alarm.set':
    case 'alarm.cleared':
    case 'journal.archived':
      evolveRun(fold, event);
      break;
    case 'run.budgeted':
    case 'activation.short':
    case 'activation.funded':
    case 'step.reserved':
    case 'step.lost':
      evolveBudget(fold, event);
      break;
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
    case 'files.changed':
      fold.draft.append(`changes/${event.activation}`, ...event.files);
      break;
    case 'files.attached':
      addFiles(fold.draft, event.frame, event.files);
      break;
    default:
      evolveActivation(fold, event);
  }
  if (event.bodies !== undefined) {
    const run = runOf(fold.draft);
    fold.draft.set('run', { ...run, nextMessage: run.nextMessage + event.bodies });
  }
}

import type { Event, EventOf } from '../records/event.ts';
import { addFiles } from '../state/files.ts';
import type { Fold } from '../state/fold.ts';
import { runOf } from '../state/lookup.ts';
import { evolveActivation } from './evolve-activation.ts';
import { evolveApproval } from './evolve-approval.ts';
import type { BudgetEvent } from './evolve-budget.ts';
import { evolveBudget } from './evolve-budget.ts';
import { deleteScopesWithin, evolveHalt } from './evolve-halt.ts';
import { evolveRun } from './evolve-run.ts';
import { evolveSignal } from './evolve-signal.ts';
import { evolveCycle } from './scopes/evolve-cycle.ts';
import { evolveFanOut } from './scopes/evolve-fan-out.ts';
import { evolveGraph } from './scopes/evolve-graph.ts';
import { evolveTermination } from './scopes/evolve-termination.ts';

/** Folds one event into the state. It never fails on an event that `decide` produced, and decides nothing itself. */
export function evolve(fold: Fold, event: Event): void {
  switch (event.type) {
    case 'run.started':
    case 'run.failing':
    case 'run.stopping':
    case 'run.paused':
    case 'run.resumed':
    case 'run.forked':
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
    case 'graph.left':
      if (event.stopped) deleteScopesWithin(fold, event.scope, 'itself');
      evolveGraph(fold, event);
      break;
    case 'graph.entered':
    case 'items.skipped':
      evolveGraph(fold, event);
      break;
    case 'cycle.entered':
    case 'cycle.iterated':
    case 'cycle.advanced':
    case 'cycle.left':
      evolveCycle(fold, event);
      break;
    case 'units.stored':
    case 'units.joined':
    case 'fanout.entered':
    case 'fanout.layered':
    case 'fanout.left':
      evolveFanOut(fold, event);
      break;
    case 'files.changed':
      fold.draft.append(`changes/${event.activation}`, event.files);
      break;
    case 'signal.received':
      evolveSignal(fold.draft, event);
      break;
    case 'tool.asked':
    case 'tool.decided':
      evolveApproval(fold.draft, event);
      break;
    case 'files.attached':
      addFiles(fold.draft, event.frame, event.files);
      break;
    default:
      evolvePart(fold, event);
  }
  countBodies(fold, event.bodies);
}

type EventWithoutActivation = Extract<
  Event,
  {
    type:
      | `run.${string}`
      | `alarm.${string}`
      | `journal.${string}`
      | `cycle.${string}`
      | `fanout.${string}`
      | `units.${string}`;
  }
>;
type Other = EventOf<
  | 'graph.left'
  | 'graph.entered'
  | 'items.skipped'
  | 'files.changed'
  | 'files.attached'
  | 'signal.received'
  | 'tool.asked'
  | 'tool.decided'
>;

/** Folds an event of an activation, or of a scope that can stop. */
function evolvePart(fold: Fold, event: Exclude<Event, EventWithoutActivation | BudgetEvent | Other>): void {
  switch (event.type) {
    case 'scope.entered':
    case 'scope.left':
    case 'termination.moved':
    case 'termination.reset':
    case 'graph.exiting':
      return evolveTermination(fold, event);
    case 'scope.stopping':
    case 'scope.stopped':
    case 'scope.dropped':
    case 'activation.dropped':
      return evolveHalt(fold, event);
    default:
      return evolveActivation(fold, event);
  }
}

/** Counts the bodies that were stored with an event: they have the next numbers. */
function countBodies({ draft }: Fold, bodies: number | undefined): void {
  if (bodies === undefined) return;
  const run = runOf(draft);
  draft.set('run', { ...run, nextMessage: run.nextMessage + bodies });
}

import type { ProjectedEvent } from '../engine/records/journal-event.ts';
import { projectActivation } from './project-activation.ts';
import { projectBudget } from './project-budget.ts';
import { projectDensity } from './project-density.ts';
import { projectScope } from './project-scope.ts';
import type { ProjectedEntry } from './projected-entry.ts';
import type { LiveProjection, RunProjection } from './run-projection.ts';

/** Applies the next entry of the journal to the projection of its run. */
export function project(projection: RunProjection, entry: ProjectedEntry): void {
  const { id, at, event } = entry;
  projection.event = id;
  projection.at = at;
  projectRun(projection, event);
  projectScope(projection, event);
  projectBudget(projection, event);
  projectActivation(projection, { at, event });
  projectDensity(projection.density, entry);
}

function projectRun(projection: RunProjection, event: ProjectedEvent): void {
  switch (event.type) {
    case 'run.paused':
      projection.status = 'paused';
      return;
    case 'run.failing':
    case 'run.stopping':
      projection.status = event.type === 'run.failing' ? 'failing' : 'stopping';
      if (event.inFlight === 'cancel') detachWorkers(projection);
      return;
    case 'run.finished':
      projection.status = event.status;
      return;
    case 'run.resumed':
      return wakeAll(projection);
    case 'run.forked': {
      detachWorkers(projection);
      const forked = projection.live.get(event.activation);
      if (forked !== undefined) wake(forked);
      return wakeAll(projection);
    }
    default:
      return;
  }
}

/** Parks the activations that are executing: their workers are no longer waited for. */
function detachWorkers({ live }: RunProjection): void {
  for (const one of live.values()) if (one.state === 'working') wake(one);
}

/** Wakes everything that no worker executes and that waits for no person. */
function wakeAll(projection: RunProjection): void {
  projection.status = 'running';
  for (const one of projection.live.values()) if (one.state !== 'working' && !waitsForOutside(one)) wake(one);
}

const waitsForOutside = ({ waitsFor }: LiveProjection): boolean =>
  waitsFor?.type === 'person' || waitsFor?.type === 'event' || (waitsFor?.type === 'budget' && waitsFor.asks === true);

function wake(one: LiveProjection): void {
  one.state = 'ready';
  delete one.startedAt;
  delete one.waitsFor;
}

import type { ProjectedEvent } from '../engine/records/journal-event.ts';
import type { ProjectedEntry } from './projected-entry.ts';

/*
 * The activity of a run over its whole journal in a bounded number of bars. Each bar covers equally many commits. When
 * the journal outgrows them, each two bars become one. So no event is counted twice or read again, however long the run is.
 */

/** Activity of a run in bars of equally many commits: columns with one value for each bar. */
export interface DensityProjection {
  /** Number of commits that a bar covers. */
  commits: number;
  /** Time of the first event of each bar, in milliseconds since 1970. */
  from: number[];
  events: number[];
  failures: number[];
  /** Questions to people. */
  questions: number[];
  /** Iterations of loops that began. */
  iterations: number[];
  pauses: number[];
}

/** Maximum number of bars. */
export const maxDensityBars = 256;

/** Returns the activity of a run without events. */
export const beginDensity = (): DensityProjection => ({
  commits: 1,
  from: [],
  events: [],
  failures: [],
  questions: [],
  iterations: [],
  pauses: [],
});

/** Counts an entry of the journal. */
export function projectDensity(density: DensityProjection, { id, at, event }: ProjectedEntry): void {
  const commit = Number.parseInt(id, 10) - 1;
  while (commit >= maxDensityBars * density.commits) joinBars(density);
  const bar = Math.floor(commit / density.commits);
  while (density.from.length <= bar) {
    density.from.push(at);
    for (const column of counts) density[column].push(0);
  }
  increment(density.events, bar);
  const mark = markOf(event);
  if (mark !== undefined) increment(density[mark], bar);
}

const counts = ['events', 'failures', 'questions', 'iterations', 'pauses'] as const;

/** Joins each two bars to one of twice as many commits. */
function joinBars(density: DensityProjection): void {
  density.commits *= 2;
  density.from = density.from.filter((_, bar) => bar % 2 === 0);
  for (const column of counts) {
    const before = density[column];
    density[column] = density.from.map((_, bar) => (before[2 * bar] ?? 0) + (before[2 * bar + 1] ?? 0));
  }
}

function increment(column: number[], bar: number): void {
  column[bar] = (column[bar] ?? 0) + 1;
}

function markOf(event: ProjectedEvent): Exclude<(typeof counts)[number], 'events'> | undefined {
  switch (event.type) {
    case 'activation.failed':
    case 'run.failing':
      return 'failures';
    case 'activation.suspended':
      return event.wait.kind === 'event' ? undefined : 'questions';
    case 'cycle.iterated':
      return 'iterations';
    case 'run.paused':
      return 'pauses';
    default:
      return undefined;
  }
}

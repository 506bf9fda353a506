import type { RunEvent } from '@millrace/client';

/** Returns the number of events up to and including the one with this id, or all when there is none. */
export function eventsUpTo(events: readonly RunEvent[], id: string | undefined): number {
  if (id === undefined) return events.length;
  // Ids increase: a binary search finds the last event up to this id.
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(events[middle]?.id ?? '', id)) high = middle;
    else low = middle + 1;
  }
  return Math.max(low, Math.min(1, events.length));
}

/** Mark of an event on the slider: a failure, a question, an iteration of a loop, a pause, or another event of the run. */
export type Mark = 'failed' | 'question' | 'iteration' | 'pause' | 'run';

/** Returns the mark of an event; undefined for events that people do not look for. */
export function markOf({ event }: RunEvent): Mark | undefined {
  const { type } = event;
  if (type === 'activation.failed' || type === 'run.failing') return 'failed';
  if (event.type === 'activation.suspended') return event.wait.kind === 'event' ? undefined : 'question';
  if (type === 'cycle.iterated') return 'iteration';
  if (type === 'run.paused') return 'pause';
  return type.startsWith('run.') ? 'run' : undefined;
}

/** Returns the count of events up to the next, or the last, activation that begins or settles. */
export function activationStep(events: readonly RunEvent[], from: number, step: 1 | -1): number {
  for (let to = from + step; to >= 1 && to <= events.length; to += step) {
    const type = events[to - 1]?.event.type;
    if (type === 'activation.ready' || type === 'activation.completed' || type === 'activation.failed') return to;
  }
  return step > 0 ? events.length : 1;
}

/** Types of events with which activations settle. */
export const settlingTypes = ['activation.completed', 'activation.failed', 'activation.opened'] as const;

const settling: ReadonlySet<string> = new Set(settlingTypes);

/** Returns the activation that settled last in the first events; undefined when none has. */
export function lastSettled(events: readonly RunEvent[], count: number): string | undefined {
  for (let at = count - 1; at >= 0; at -= 1) {
    const event = events[at]?.event;
    if (event !== undefined && settling.has(event.type) && 'activation' in event) return event.activation;
  }
  return undefined;
}

/*
 * Ids of events are the number of their commit and their number in it, as in `12-3`. Commits are numbered from 1, and
 * the events of each from 0.
 */

/** Returns the number of the commit that an event is part of. */
export const commitOf = (id: string): number => Number.parseInt(id, 10);

/** Largest number of an event in its commit that an id may have. */
const lastPart = 999_999_999_999_999;

/** Returns the id of the place right after an event. */
export function placeAfter(id: string): string {
  const [commit, part] = partsOf(id);
  return `${commit}-${Math.min(part + 1, lastPart)}`;
}

/** Returns the id of the place after the last event of a commit. */
export const endOfCommit = (commit: number): string => `${commit}-${lastPart}`;

/** Tests if an event is later than another. */
export function isAfter(id: string, other: string): boolean {
  const [commit, part] = partsOf(id);
  const [otherCommit, otherPart] = partsOf(other);
  return commit === otherCommit ? part > otherPart : commit > otherCommit;
}

function partsOf(id: string): readonly [commit: number, part: number] {
  const [commit = 0, part = 0] = id.split('-').map(Number);
  return [commit, part];
}

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

import type { Event } from '@millrace/core';

/**
 * Returns the version that a commit makes: the next one, or the one after the copied parts with which the journal of a fork begins.
 */
export function nextVersion(version: number, events: readonly Event[]): number {
  if (version > 0) return version + 1;
  // The history of a fork may contain another fork.
  const forked = events.findLast(({ type }) => type === 'run.forked');
  return ((forked?.type === 'run.forked' ? forked.parts?.at(-1)?.to : undefined) ?? 0) + 1;
}

import type { RunEvent } from '@millrace/client';

/** Returns the number of events up to and including the one with this id, or all when there is none. */
export function eventsUpTo(events: readonly RunEvent[], id: string | undefined): number {
  if (id === undefined) return events.length;
  const at = events.findIndex((event) => event.id === id);
  return at < 0 ? events.length : at + 1;
}

/** Events that people look for: failures, questions, turns of loops, and what happens to the run as a whole. */
export const isMark = ({ event: { type } }: RunEvent): boolean =>
  type.startsWith('run.') ||
  type === 'activation.failed' ||
  type === 'activation.suspended' ||
  type === 'cycle.iterated';

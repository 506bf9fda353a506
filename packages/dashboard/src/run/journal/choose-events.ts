import type { RunEvent } from '@millrace/client';
import type { JournalPlace } from './journal-place.ts';

/** Groups of types of events that a journal is filtered by. */
export const groups = [
  'run',
  'graph',
  'cycle',
  'fanout',
  'activation',
  'activation.completed',
  'activation.failed',
  'activation.suspended',
  'activation.answered',
  'step',
  'step.completed',
  'files',
  'signal',
  'termination',
] as const;

/** Returns the events of an activation, or all without one. */
export const chooseEvents = (
  events: readonly RunEvent[],
  { activation }: Pick<JournalPlace, 'activation'>,
): readonly RunEvent[] =>
  activation === undefined
    ? events
    : events.filter(({ event }) => 'activation' in event && event.activation === activation);

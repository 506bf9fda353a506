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

/** Returns the events that a filter leaves. */
export const chooseEvents = (
  events: readonly RunEvent[],
  { type, activation }: Pick<JournalPlace, 'type' | 'activation'>,
): readonly RunEvent[] =>
  type === undefined && activation === undefined
    ? events
    : events.filter(
        ({ event }) =>
          (type === undefined || event.type === type || event.type.startsWith(`${type}.`)) &&
          (activation === undefined || ('activation' in event && event.activation === activation)),
      );

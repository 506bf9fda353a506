import { z } from 'zod';
import { activationEvents } from './activation-events.ts';
import { graphEvents, scopeEvents } from './graph-events.ts';
import { runEvents, stepEvents } from './run-events.ts';

/** An event of a journal, by its type. */
export const JournalEvent = z
  .discriminatedUnion('type', [...runEvents, ...graphEvents, ...activationEvents, ...stepEvents, ...scopeEvents])
  .meta({ id: 'JournalEvent' });
/** JournalEvent as responses have it. */
export type JournalEvent = z.output<typeof JournalEvent>;

import type { NamedEntry, LiveEvent as Said } from '@millrace/runtime';
import { z } from 'zod';
import { JournalEvent } from '../journal/journal-event.ts';
import { RunId } from './run.ts';

/** Place in a journal: the id of the last event that was seen. */
export const EventId = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}$/, 'must be the id of an event, as in 12-0')
  .describe('The id of the last event that was received.');

/** Choice of a stream with or without what steps say. */
export const Live = z
  .enum(['true', 'false'])
  .default('true')
  .describe('The stream also contains events `live`, without an id: the output of models and tools during a step.');

/** One event of a run. */
export const RunEvent = z
  .object({
    id: EventId,
    at: z.number().describe('Milliseconds since 1970.'),
    event: JournalEvent,
  })
  .meta({ id: 'RunEvent' });
/** RunEvent as responses have it. */
export type RunEvent = z.output<typeof RunEvent>;

type Mutable<T> = T extends readonly (infer Entry)[]
  ? Mutable<Entry>[]
  : T extends object
    ? { -readonly [Field in keyof T]: Mutable<T[Field]> }
    : T;

/** An entry of a journal as the API shows it: the same. */
export const runEventOf = (entry: NamedEntry): RunEvent => entry as Mutable<NamedEntry>;

/** A page of a journal. */
export const RunEvents = z
  .object({
    data: z.array(RunEvent),
    nextCursor: EventId.nullable().describe('null when there are no more at present.'),
  })
  .meta({ id: 'RunEvents' });

/** Live event of a step, as events \`live\` contain it. */
export type RunUtterance = Said;

/** One message in a path. */
export const MessagePath = z.object({
  id: RunId,
  mid: z.string().regex(/^m\d{1,15}$/, 'must be the id of a message, as in m7'),
});

/** A message. */
export const MessageText = z.object({ id: z.string(), text: z.string() }).meta({ id: 'MessageText' });

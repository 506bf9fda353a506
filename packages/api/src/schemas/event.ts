import type { LiveEvent as Said } from '@millrace/runtime';
import { z } from 'zod';
import { RunId } from './run.ts';

/** Place in a journal: the id of the last event that was seen. */
export const EventId = z
  .string()
  .regex(/^\d{1,15}-\d{1,15}$/, 'must be the id of an event, as in 12-0')
  .describe('The id of the last event that was seen.');

/** Choice of a stream with or without what steps say. */
export const Live = z
  .enum(['true', 'false'])
  .default('true')
  .describe(
    'Whether the stream also has events `live`, without an id: what models and tools say while they are at work.',
  );

/** One event of a run, as its journal has it. */
export const RunEvent = z
  .object({
    id: EventId,
    at: z.number().describe('Milliseconds since 1970.'),
    event: z.looseObject({ type: z.string() }),
  })
  .meta({ id: 'RunEvent' });
/** RunEvent as responses have it. */
export type RunEvent = z.output<typeof RunEvent>;

/** A page of a journal. */
export const RunEvents = z
  .object({ data: z.array(RunEvent), nextCursor: EventId.nullable().describe('null when this is all there is now.') })
  .meta({ id: 'RunEvents' });

/** Utterance of a step at work, as events \`live\` have it. */
export type RunUtterance = Said;

/** One message in a path. */
export const MessagePath = z.object({
  id: RunId,
  mid: z.string().regex(/^m\d{1,15}$/, 'must be the id of a message, as in m7'),
});

/** A message. */
export const MessageText = z.object({ id: z.string(), text: z.string() }).meta({ id: 'MessageText' });

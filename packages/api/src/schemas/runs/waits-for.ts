import { z } from 'zod';

const time = z.number().describe('Milliseconds since 1970.');

/** Reason why an activation waits. */
export const WaitsFor = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('person'), since: time }),
    z.object({
      type: z.literal('budget'),
      since: time,
      asks: z.literal(true).optional().describe('It asks a person for a larger budget.'),
    }),
    z.object({
      type: z.literal('event'),
      since: time,
      event: z.string().describe('Name of the signal.'),
      until: time.optional(),
    }),
    z.object({ type: z.literal('time'), since: time, until: time }),
  ])
  .meta({ id: 'WaitsFor' });

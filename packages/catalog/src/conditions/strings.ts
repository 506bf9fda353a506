import { z } from 'zod';

/** A text or a list of texts, parsed to a list. Absent or null is an empty list. */
export const Strings = z
  .union([z.string(), z.array(z.string({ error: 'Write a text; put numbers and words such as true in quotes.' }))], {
    error: 'Write a text or a list of texts.',
  })
  .nullish()
  .transform((written): readonly string[] => (typeof written === 'string' ? [written] : (written ?? [])));

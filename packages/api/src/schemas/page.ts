import { z } from 'zod';

/** Number of entries of a page. */
export const PageLimit = z.coerce
  .number<number | string>()
  .int()
  .min(1)
  .max(200)
  .default(20)
  .describe('Entries of a page, at most 200.');

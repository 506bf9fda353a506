import { z } from 'zod';

/** Number of entries of a page. */
export const PageLimit = z.coerce
  .number<number | string>()
  .int()
  .min(1)
  .max(200)
  .default(20)
  .describe('Maximum number of entries of a page, up to 200.');

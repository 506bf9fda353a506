import { z } from 'zod';

/** Number of entries of a page. */
export const PageLimit = z.coerce
  .number<number | string>()
  .int()
  .min(1)
  .max(200)
  .default(20)
  .describe('Maximum number of entries of a page, up to 200.');

/** Returns the schema of a page of a list. */
export const pageOf = <T extends z.ZodType>(entry: T) =>
  z.object({ data: z.array(entry), nextCursor: z.string().nullable() });

/** Cuts what was found, up to one entry more than a page has, to a page; `cursorOf` its last entry leads to the next one. */
export function cutPage<T>(found: readonly T[], limit: number, cursorOf: (last: T) => string) {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { page, nextCursor: found.length > limit && last !== undefined ? cursorOf(last) : null };
}

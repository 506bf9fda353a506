import type { Page } from '@millrace/client';

/** Returns the first items of a list, at most `limit`. */
export async function first<T>(limit: number, source: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const one of source) {
    found.push(one);
    if (found.length >= limit) break;
  }
  return found;
}

/** Returns all items of a list. */
export const all = <T>(source: AsyncIterable<T>): Promise<readonly T[]> => first(Number.POSITIVE_INFINITY, source);

/** Largest page of the API. */
const largestPage = 200;

/** Returns a page of at most `limit` items after a cursor; it is read in as many pages of the API as it takes. */
export async function firstPage<T>(
  limit: number,
  after: string | undefined,
  read: (cursor: string | undefined, size: number) => Promise<Page<T>>,
): Promise<Page<T>> {
  const found: T[] = [];
  for (let cursor = after; ; ) {
    const { data, nextCursor } = await read(cursor, Math.min(limit - found.length, largestPage));
    for (const one of data) found.push(one);
    if (nextCursor === null || found.length >= limit) return { data: found, nextCursor };
    cursor = nextCursor;
  }
}

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

/** A part of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  /** Cursor of the next page; null when this was the last. */
  readonly nextCursor: string | null;
}

/** A list that is read page by page, as it is gone through. */
export interface Pages<T> extends AsyncIterable<T> {
  /** One page; without a cursor, the first. */
  page(cursor?: string): Promise<Page<T>>;
}

/** The list that pages make. */
export function pagesOf<T>(page: (cursor: string | undefined) => Promise<Page<T>>): Pages<T> {
  return {
    page,
    async *[Symbol.asyncIterator]() {
      for (let cursor: string | undefined; ; ) {
        const { data, nextCursor } = await page(cursor);
        yield* data;
        if (nextCursor === null) return;
        cursor = nextCursor;
      }
    },
  };
}

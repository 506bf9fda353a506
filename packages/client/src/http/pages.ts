/** A part of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  /** Cursor of the next page; null when this was the last. */
  readonly nextCursor: string | null;
}

/** List that is loaded page by page during its iteration. */
export interface Pages<T> extends AsyncIterable<T> {
  /** Returns the page at a cursor; without one, the first page. */
  page(cursor?: string): Promise<Page<T>>;
}

/** Returns the list of some pages. */
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

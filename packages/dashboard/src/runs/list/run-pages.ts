import type { RunLine } from '@millrace/client';

/*
 * The list of runs as pages, newest first. Only pages near the window are kept whole: of the others the number of rows and
 * the cursor remain, so that the scrollbar stays where it is and they can be loaded again.
 */

/** Rows of a full page. */
export const pageSize = 100;
/** Pages that are kept whole. */
export const pagesKept = 30;

/** One page of the list. */
export interface RunPage {
  /** Absent for the first page. */
  readonly cursor?: string;
  /** Absent while the page is not kept. */
  readonly runs?: readonly RunLine[];
  readonly length: number;
  /** Start of the newest run of the page, in milliseconds since 1970. */
  readonly newestAt: number;
}

/** Loaded part of a list of runs. */
export interface RunPages {
  readonly pages: readonly RunPage[];
  /** Cursor of the page after the last known one; null when that was the last. */
  readonly next: string | null;
  /** Number of runs that the server has read to find these. */
  readonly looked: number;
  /** The server has read many runs of which few match; a button continues the search. */
  readonly isPartial: boolean;
}

/** Page as the server sends it. */
export interface LoadedPage {
  readonly data: readonly RunLine[];
  readonly nextCursor: string | null;
  readonly looked: number;
}

/** Returns the number of rows that are known. */
export const rowCount = ({ pages }: RunPages): number => pages.reduce((rows, { length }) => rows + length, 0);

/** Returns the run of a row and the number of its page; the run is absent while the page is not kept. */
export function rowAt({ pages }: RunPages, row: number): { readonly page: number; readonly run?: RunLine | undefined } {
  let before = 0;
  for (const [page, { length, runs }] of pages.entries()) {
    if (row < before + length) return { page, run: runs?.[row - before] };
    before += length;
  }
  return { page: pages.length };
}

/** Returns the list with a first page. Known pages behind it are kept as long as no run can be missing between them. */
export function withFirstPage(known: RunPages | undefined, loaded: LoadedPage): RunPages {
  const first = pageOf(loaded.data);
  const [head, ...others] = known?.pages ?? [];
  const fresh = { pages: [first], next: loaded.nextCursor, looked: loaded.looked, isPartial: isPartial(loaded) };
  const oldest = loaded.data.at(-1);
  if (known === undefined || head === undefined || others.length === 0 || oldest === undefined) return fresh;
  // The head of the list is not visible while it is not kept.
  if (head.runs === undefined) return known;
  const newestOld = head.runs[0];
  if (newestOld === undefined || isBehind(newestOld, oldest)) return fresh;
  const boundary = others[0]?.newestAt ?? 0;
  const shown = loaded.data.filter(({ startedAt }) => startedAt > boundary);
  const seen = new Set(shown.map(({ runId }) => runId));
  const rest = head.runs.filter((run) => isBehind(run, oldest) && !seen.has(run.runId));
  return { ...known, pages: [pageOf([...shown, ...rest]), ...others] };
}

/** Returns the list with a page that was loaded again, or with one more at its end; pages far from it are not kept. */
export function withPage(known: RunPages, at: number, loaded: LoadedPage): RunPages {
  const isNew = at === known.pages.length;
  const cursor = isNew ? known.next : known.pages[at]?.cursor;
  const page = { ...pageOf(loaded.data), ...(cursor === null || cursor === undefined ? {} : { cursor }) };
  const pages = isNew ? [...known.pages, page] : known.pages.with(at, page);
  return {
    pages: pages.map((one, index) => (Math.abs(index - at) < pagesKept / 2 ? one : forgotten(one))),
    next: isNew ? loaded.nextCursor : known.next,
    looked: isNew ? known.looked + loaded.looked : known.looked,
    isPartial: isNew ? isPartial(loaded) : known.isPartial,
  };
}

/** Change of one run in a list. */
export interface RunChange {
  readonly run: RunLine;
  /** The run matches the filter of the list. */
  readonly isFound: boolean;
  /** A run that no longer matches is kept for a while, so that no rows move. */
  readonly keeps: boolean;
}

/** Returns the list with a run that has changed or was started. */
export function withChange(known: RunPages, { run, isFound, keeps }: RunChange): RunPages {
  for (const [at, { runs }] of known.pages.entries()) {
    const index = runs?.findIndex(({ runId }) => runId === run.runId) ?? -1;
    if (runs === undefined || index < 0) continue;
    return withRuns(known, at, isFound || keeps ? runs.with(index, run) : runs.toSpliced(index, 1));
  }
  return isFound ? withNewRun(known, run) : known;
}

/** Returns the list without the runs that no longer match. */
export function pruned(known: RunPages, isFound: (run: RunLine) => boolean): RunPages {
  const isWhole = known.pages.every(({ runs }) => runs === undefined || runs.every(isFound));
  if (isWhole) return known;
  const pages = known.pages.map((page) =>
    page.runs === undefined ? page : { ...page, ...contentOf(page.runs.filter(isFound)) },
  );
  return { ...known, pages };
}

function withNewRun(known: RunPages, run: RunLine): RunPages {
  for (const [at, { runs }] of known.pages.entries()) {
    if (runs === undefined) continue;
    const index = runs.findIndex((other) => isBehind(other, run));
    // There may be further runs after the last run of the last page that are not loaded yet.
    const isEnd = at === known.pages.length - 1 && known.next === null;
    if (index >= 0) return withRuns(known, at, runs.toSpliced(index, 0, run));
    if (isEnd) return withRuns(known, at, [...runs, run]);
  }
  return known;
}

const withRuns = (known: RunPages, at: number, runs: readonly RunLine[]): RunPages => ({
  ...known,
  pages: known.pages.map((page, index) => (index === at ? { ...page, ...contentOf(runs) } : page)),
});

/** Tests if a run is after another: newest first, and those of one millisecond by descending id. */
const isBehind = (one: RunLine, other: RunLine): boolean =>
  one.startedAt === other.startedAt ? one.runId < other.runId : one.startedAt < other.startedAt;

const isPartial = ({ data, nextCursor }: LoadedPage): boolean => data.length < pageSize && nextCursor !== null;

const contentOf = (runs: readonly RunLine[]) => ({ runs, length: runs.length });

/** Returns runs as one page that is kept whole. */
export const pageOf = (runs: readonly RunLine[]): RunPage => ({
  ...contentOf(runs),
  newestAt: runs[0]?.startedAt ?? 0,
});

const forgotten = ({ runs: _gone, ...page }: RunPage): RunPage => page;

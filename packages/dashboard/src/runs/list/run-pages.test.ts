import type { RunLine } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import type { LoadedPage, RunPages } from './run-pages.ts';
import { pagesKept, pruned, rowAt, rowCount, withChange, withFirstPage, withPage } from './run-pages.ts';

const runAt = (startedAt: number, status: RunLine['status'] = 'running'): RunLine => ({
  runId: `run_${String(startedAt).padStart(6, '0')}`,
  workflow: 'w',
  plan: 'p',
  status,
  tags: [],
  startedAt,
  activations: 0,
});

/** A page of the runs from one start down to another. */
const page = (from: number, to: number, nextCursor: string | null = `after ${to}`): LoadedPage => ({
  data: Array.from({ length: from - to + 1 }, (_, index) => runAt(from - index)),
  nextCursor,
  looked: from - to + 1,
});

const startsOf = (list: RunPages): readonly number[] =>
  list.pages.flatMap(({ runs = [] }) => runs.map(({ startedAt }) => startedAt));

const twoPages = withPage(withFirstPage(undefined, page(20, 11)), 1, page(10, 1, null));

describe('a list of runs', () => {
  it('finds the run of a row on its page', () => {
    expect(rowCount(twoPages)).toBe(20);
    expect(rowAt(twoPages, 12)).toMatchObject({ page: 1, run: { startedAt: 8 } });
    expect(rowAt(twoPages, 99)).toEqual({ page: 2 });
  });

  it('keeps 30 pages at most, and the rows of the others', () => {
    let list = withFirstPage(undefined, page(10_000, 9_901));
    for (let at = 1; at < 100; at += 1) list = withPage(list, at, page(10_000 - at * 100, 9_901 - at * 100));

    expect(rowCount(list)).toBe(10_000);
    expect(list.pages.filter(({ runs }) => runs !== undefined).length).toBeLessThanOrEqual(pagesKept);
    expect(rowAt(list, 50)).toEqual({ page: 0 });
    const back = withPage(list, 0, page(10_000, 9_901));
    expect(rowAt(back, 50)).toMatchObject({ run: { startedAt: 9_950 } });
  });

  it('reads its head again without losing the rest', () => {
    expect(startsOf(withFirstPage(twoPages, page(25, 16)))).toEqual(
      startsOf({ ...twoPages, pages: [] }).concat(Array.from({ length: 25 }, (_, index) => 25 - index)),
    );
  });

  it('starts again when runs may be missing between its new head and its rows', () => {
    expect(startsOf(withFirstPage(twoPages, page(60, 51)))).toEqual(startsOf(withFirstPage(undefined, page(60, 51))));
  });
});

describe('a changing run', () => {
  const change = (run: RunLine, isFound = true, keeps = false) => ({ run, isFound, keeps });

  it('changes in its row', () => {
    const list = withChange(twoPages, change(runAt(7, 'completed')));

    expect(rowAt(list, 13)).toMatchObject({ run: { startedAt: 7, status: 'completed' } });
    expect(rowCount(list)).toBe(20);
  });

  it('is first when it is new, and in its order when it is older', () => {
    expect(startsOf(withChange(twoPages, change(runAt(21))))[0]).toBe(21);
    const hole = withChange(twoPages, change(runAt(7), false));
    expect(startsOf(withChange(hole, change(runAt(7))))).toEqual(startsOf(twoPages));
  });

  it('leaves a list whose filter it no longer matches, unless rows must not move', () => {
    const failed = runAt(7, 'failed');
    const kept = withChange(twoPages, change(failed, false, true));

    expect(rowCount(withChange(twoPages, change(failed, false)))).toBe(19);
    expect(rowCount(kept)).toBe(20);
    expect(rowCount(pruned(kept, ({ status }) => status === 'running'))).toBe(19);
  });

  it('is omitted where pages between it and the known ones are missing', () => {
    const list = withFirstPage(undefined, page(20, 11));

    expect(withChange(list, change(runAt(3)))).toBe(list);
  });
});

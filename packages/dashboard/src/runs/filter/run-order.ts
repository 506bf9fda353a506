import type { RunLine } from '@millrace/client';

/** Columns that the list of runs can be sorted by, the largest first; without one, the newest run is first. */
export const sortColumns = ['duration', 'cost'] as const;

/** Column that the list of runs is sorted by. */
export type SortColumn = (typeof sortColumns)[number];

/** Number of runs that are sorted, the newest ones of a filter. */
export const mostSorted = 1_000;

/** Returns the column in the query of an address; undefined for none. */
export const parseSort = (value: unknown): SortColumn | undefined => sortColumns.find((name) => name === value);

/** Returns runs by a column, the largest first; equal ones stay as they were. `now`: the end of those that continue. */
export function sortedRuns(runs: readonly RunLine[], by: SortColumn, now: number): readonly RunLine[] {
  const amountOf = amounts[by];
  return runs.toSorted((one, other) => amountOf(other, now) - amountOf(one, now));
}

const amounts: Readonly<Record<SortColumn, (run: RunLine, now: number) => number>> = {
  duration: ({ startedAt, finishedAt }, now) => (finishedAt ?? now) - startedAt,
  cost: ({ usage }) => usage?.microUsd ?? 0,
};

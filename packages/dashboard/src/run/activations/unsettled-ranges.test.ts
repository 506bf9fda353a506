import { expect, it } from 'vitest';
import type { RowState } from '../../activations/timeline-row.ts';
import { unsettledRanges } from './unsettled-ranges.ts';

const rows = (count: number, unsettled: Readonly<Record<number, RowState>>) =>
  Array.from({ length: count }, (_, at) => ({ state: unsettled[at] ?? ('completed' as const) }));

it('has only the rows that had not settled, far ones apart and near ones together', () => {
  expect(unsettledRanges(rows(5000, { 1: 'waiting', 4990: 'working', 4999: 'failed' }), 2000)).toEqual([
    { from: 1, count: 1 },
    { from: 4990, count: 10 },
  ]);
  expect(unsettledRanges(rows(500, {}), 2000)).toEqual([]);
});

it('has ranges of at most so many rows', () => {
  const waiting = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [at * 10, 'ready' as const]));

  for (const { count } of unsettledRanges(rows(300, waiting), 100)) expect(count).toBeLessThanOrEqual(100);
  expect(unsettledRanges(rows(300, waiting), 100).length).toBeGreaterThan(1);
});

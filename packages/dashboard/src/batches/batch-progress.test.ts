import type { Batch } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { paceLabel, paceOf, rowCountsOf } from './batch-progress.ts';

const minute = 60_000;
const none = { invalid: 0, waiting: 0, running: 0, completed: 0, failed: 0, cancelled: 0, terminated: 0 };
const batch = (rows: Partial<Batch['rows']>, more: Partial<Batch> = {}): Batch => ({
  id: 'b',
  workflow: 'w',
  parallel: 10,
  total: 100,
  status: 'running',
  createdAt: 0,
  rows: { ...none, ...rows },
  usage: { calls: 0, promptTokens: 0, completionTokens: 0 },
  ...more,
});

describe('the rows of a batch', () => {
  it('are done, failed, cancelled, running or left', () => {
    const rows = { completed: 5, failed: 1, terminated: 1, invalid: 2, cancelled: 3, running: 4, waiting: 6 };

    expect(rowCountsOf({ rows })).toEqual({ done: 5, failed: 4, cancelled: 3, running: 4, left: 6 });
  });
});

describe('the pace of a batch', () => {
  it('is that of the last minute, and says when the batch ends', () => {
    const seen = [
      { at: 8 * minute, ended: 10 },
      { at: 9.5 * minute, ended: 20 },
    ];

    const pace = paceOf(batch({ completed: 40, running: 10, waiting: 30 }), seen, 10 * minute);

    expect(pace).toEqual({ rowsPerMinute: 40, endsAt: 11 * minute });
  });

  it('is that since it was made while nothing was seen of it, and of the whole time once it has ended', () => {
    expect(paceOf(batch({ completed: 20, invalid: 5, waiting: 20 }), [], 2 * minute)?.rowsPerMinute).toBe(10);
    expect(paceOf(batch({ completed: 100 }, { finishedAt: 4 * minute }), [], 9 * minute)).toEqual({
      rowsPerMinute: 25,
    });
  });

  it('is not known before the first row has ended', () => {
    expect(paceOf(batch({ running: 10, waiting: 5 }), [], minute)).toBeUndefined();
  });

  it.each([
    [1234, '1,234 rows/min'],
    [2.34, '2.3 rows/min'],
    [0.05, '3.0 rows/h'],
  ])('of %d rows a minute reads %s', (rowsPerMinute, text) => {
    expect(paceLabel({ rowsPerMinute })).toBe(text);
  });
});

import { expect, it } from 'vitest';
import { batchProgress } from './watch-batch.ts';

const rows = { invalid: 0, waiting: 5, running: 1, completed: 3, failed: 1, cancelled: 0, terminated: 0 };

it('shows how many rows have ended, and the number of rows of each status', () => {
  expect(batchProgress({ total: 10, rows })).toBe(
    `[${'#'.repeat(12)}${'.'.repeat(18)}] 4/10 rows, 5 waiting, 1 running, 3 completed, 1 failed`,
  );
});

it('is full only when all rows have ended', () => {
  expect(batchProgress({ total: 1000, rows: { ...rows, waiting: 1, running: 0 } })).toContain('#.]');
  expect(batchProgress({ total: 0, rows: { ...rows, waiting: 0, running: 0 } })).toContain('#]');
});

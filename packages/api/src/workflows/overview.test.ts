import { durationBucket } from '@millrace/core';
import type { UsageRow } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { readWeeks } from './overview.ts';

const now = Date.UTC(2026, 10, 22, 15);

/** Rows by day; days that are not asked for are an error. */
const usageOf = (rows: Readonly<Record<string, readonly UsageRow[]>>) => ({
  read: async (_tenant: string, days: readonly string[]) => days.map((day) => rows[day] ?? []),
});

it('adds up the ends, the costs and the durations of a workflow over seven days', async () => {
  const weeks = await readWeeks(
    usageOf({
      '2026-11-15': [{ workflow: 'poem', model: '', numbers: { failed: 100 } }],
      '2026-11-16': [
        {
          workflow: 'poem',
          model: '',
          numbers: { completed: 3, failed: 1 },
          durations: new Map([[durationBucket(1000), 3]]),
        },
        { workflow: 'poem', model: 'm', numbers: { calls: 4, microUsd: 70 } },
        { workflow: 'other', model: '', numbers: { completed: 9 } },
      ],
      '2026-11-22': [{ workflow: 'poem', model: 'n', numbers: { calls: 1, microUsd: 30, unpriced: 1 } }],
    }),
    { tenant: 'default', now },
  );

  expect(weeks.since).toBe(Date.UTC(2026, 10, 16));
  expect(weeks.of('poem')).toMatchObject({ runs: 4, completed: 3, failed: 1, microUsd: 100, unpriced: 1 });
  expect(weeks.of('poem').p50Ms).toBeGreaterThan(875);
  expect(weeks.of('poem').p50Ms).toBeLessThan(1125);
  expect(weeks.of('poem').p95Ms).toBeGreaterThanOrEqual(weeks.of('poem').p50Ms ?? Number.NaN);
  expect(weeks.daysOf('poem').map(({ runs }) => runs)).toEqual([4, 0, 0, 0, 0, 0, 0]);
  expect(weeks.daysOf('poem').at(-1)).toEqual({ day: '2026-11-22', runs: 0, failed: 0, microUsd: 30 });
});

it('has no durations without runs', async () => {
  const week = (await readWeeks(usageOf({}), { tenant: 'default', now })).of('nothing');

  expect(week).toMatchObject({ runs: 0, microUsd: 0 });
  expect(week).not.toHaveProperty('p50Ms');
});

it('has no number below zero where an end that is taken back was added to the row of everything else', async () => {
  const row: UsageRow = { workflow: 'poem', model: '', numbers: { failed: -1, completed: 1 } };
  const week = (await readWeeks(usageOf({ '2026-11-22': [row] }), { tenant: 'default', now })).of('poem');

  expect(week).toMatchObject({ runs: 1, completed: 1, failed: 0 });
});

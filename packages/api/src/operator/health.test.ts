import { describe, expect, it } from 'vitest';
import type { HealthSource } from './health.ts';
import { healthOf, risingFailures } from './health.ts';

const now = Date.UTC(2026, 10, 22, 11, 30);
const calm: HealthSource = { now, workers: 3, queues: [], failures: [], stored: [] };
const queue = { name: 'default', paused: false, waiting: 0, active: 0, delayed: 0, workers: 3 };
const minutesAgo = (minutes: number): number => now - minutes * 60_000;
const times = (count: number, minutes: number): readonly number[] =>
  Array.from({ length: count }, () => minutesAgo(minutes));

describe('the line of health', () => {
  it('says how many workers there are, what waits and for how long', () => {
    expect(healthOf(calm)).toEqual({ level: 'good', line: '3 workers · nothing queued' });
    const queues = [
      { ...queue, waiting: 10, oldestAt: now - 4000 },
      { ...queue, name: 'gpu', waiting: 2, oldestAt: now - 1000 },
    ];
    expect(healthOf({ ...calm, workers: 1, queues }).line).toBe('1 worker · 12 queued, oldest 4 s');
  });

  it('names first what needs attention', () => {
    const queues = [{ ...queue, paused: true, waiting: 1 }];
    const stored = [
      { tenant: 'acme', bytes: 95, limit: 100 },
      { tenant: 'beta', bytes: 80, limit: 100 },
    ];
    expect(healthOf({ ...calm, queues, stored, failures: times(14, 10) })).toEqual({
      level: 'bad',
      line: 'queue default is paused · failures up since 11:00 UTC: 14 runs · tenant acme uses 95% of its storage · 3 workers · 1 queued',
    });
    expect(healthOf({ ...calm, workers: 0, queues: [{ ...queue, waiting: 1 }] })).toMatchObject({ level: 'bad' });
    expect(healthOf({ ...calm, queues })).toMatchObject({ level: 'weak' });
  });
});

describe('failures', () => {
  it('are up since the first of the last hours that have many', () => {
    const failures = [...times(6, 5), ...times(8, 65), ...times(7, 130), ...times(1, 400)];
    expect(risingFailures(failures, now)).toEqual({ since: Date.UTC(2026, 10, 22, 9), count: 21 });
  });

  it('are up in an hour that has just begun, by those of the hour before it', () => {
    expect(risingFailures(times(9, 45), now)).toEqual({ since: Date.UTC(2026, 10, 22, 10), count: 9 });
  });

  it('are not up when there are few, or as many as always', () => {
    expect(risingFailures(times(4, 10), now)).toBeUndefined();
    const always = Array.from({ length: 24 }, (_, hour) => times(6, 10 + 60 * hour)).flat();
    expect(risingFailures(always, now)).toBeUndefined();
    const often = Array.from({ length: 20 }, (_, hour) => times(4, 200 + 60 * hour)).flat();
    expect(risingFailures([...times(6, 10), ...often], now)).toBeUndefined();
  });
});

import { expect, it, vi } from 'vitest';
import { unreachable } from './outage.ts';
import { createOutageTimes, reportOutages } from './outage-times.ts';

it('adds up the times of outages by their codes, the present one included', () => {
  let nowMs = 0;
  const times = createOutageTimes(() => nowMs);
  const readonly = { ...unreachable, code: 'REDIS_READONLY' } as const;

  times.note({ outage: unreachable });
  nowMs = 2000;
  times.note({ outage: readonly });
  nowMs = 5000;
  expect(Object.fromEntries(times.seconds())).toEqual({ REDIS_UNREACHABLE: 2, REDIS_READONLY: 3 });
  times.note({ overAfterMs: 5000 });
  nowMs = 9000;
  times.note({ outage: unreachable });
  nowMs = 9500;

  expect(Object.fromEntries(times.seconds())).toEqual({ REDIS_UNREACHABLE: 2.5, REDIS_READONLY: 3 });
});

it('reports the begin of an outage at most once a second, and its end only after its begin', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const said: string[] = [];
  const tell = reportOutages((line) => said.push(line));

  for (let round = 0; round < 50; round++) {
    tell({ outage: unreachable });
    tell({ overAfterMs: 50 });
    vi.advanceTimersByTime(100);
  }
  vi.useRealTimers();

  expect(said.filter((line) => line.includes('REDIS_UNREACHABLE'))).toHaveLength(5);
  expect(said.filter((line) => line.includes('is back after 0.1 s'))).toHaveLength(5);
});

import { expect, it } from 'vitest';
import { unreachable } from './outage.ts';
import { createOutageTimes } from './outage-times.ts';

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

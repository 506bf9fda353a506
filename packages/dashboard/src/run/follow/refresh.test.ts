import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRefresh, isViewOf } from './refresh.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns a reading that takes so long, and the times at which it was begun. */
function slowReading(tookMs: number) {
  const began: number[] = [];
  const start = performance.now();
  const read = () => {
    began.push(performance.now() - start);
    return new Promise((resolve) => setTimeout(resolve, tookMs));
  };
  return { began, read };
}

it.each([
  { tookMs: 10, began: [0, 500, 1000, 1500, 2000] },
  { tookMs: 200, began: [0, 1000, 2000] },
  { tookMs: 8_000, began: [0] },
])(
  'begins readings of $tookMs ms at most twice a second, and rests in proportion to them',
  async ({ tookMs, began }) => {
    const reading = slowReading(tookMs);
    const refresh = createRefresh(reading.read, 500);
    for (let event = 0; event < 200; event += 1) {
      refresh.due();
      await vi.advanceTimersByTimeAsync(10);
    }
    refresh.end();

    expect(reading.began.map(Math.round)).toEqual(began);
  },
);

it('reads once more after the last event that arrived during a reading', async () => {
  const reading = slowReading(100);
  const refresh = createRefresh(reading.read, 500);
  refresh.due();
  await vi.advanceTimersByTimeAsync(50);
  refresh.due();
  await vi.advanceTimersByTimeAsync(5_000);

  expect(reading.began).toEqual([0, 500]);
});

it.each([
  { name: 'any view of the run', queryKey: ['run', 'one', 'a view that nobody thought of'], is: true },
  { name: 'the run itself, which is read at its own pace', queryKey: ['run', 'one'], is: false },
  { name: 'views of other runs', queryKey: ['run', 'other', 'timeline'], is: false },
  { name: 'other data', queryKey: ['tasks', 'one', 'timeline'], is: false },
  { name: 'what says that it does not follow', queryKey: ['run', 'one', 'workflow'], followsRun: false, is: false },
] as const)('reads again after events of a run: $name, $is', ({ queryKey, is, ...query }) => {
  const meta = 'followsRun' in query ? { followsRun: query.followsRun } : undefined;

  expect(isViewOf('one', { queryKey, meta })).toBe(is);
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Streaks } from './admission-controller.ts';

describe('Streaks', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('lets a run go first 32 times, then once behind the others', () => {
    const streaks = new Streaks();
    const answers = Array.from({ length: 66 }, () => streaks.goesFirst('run_a'));

    expect(answers.flatMap((first, at) => (first ? [] : [at]))).toEqual([32, 65]);
  });

  it('counts each run by itself', () => {
    const streaks = new Streaks();
    for (let count = 0; count < 32; count++) streaks.goesFirst('run_a');

    expect(streaks.goesFirst('run_b')).toBe(true);
    expect(streaks.goesFirst('run_a')).toBe(false);
  });

  it('ends a streak after 250 ms, so that slow work does not stay in front', () => {
    const streaks = new Streaks();
    streaks.goesFirst('run_a');
    vi.advanceTimersByTime(250);

    expect(streaks.goesFirst('run_a')).toBe(false);
    expect(streaks.goesFirst('run_a')).toBe(true);
  });
});

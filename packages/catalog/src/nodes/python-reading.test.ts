import { describe, expect, it } from 'vitest';
import { LoopCounterConfig, loopCounter } from './loop-counter.ts';
import { LoopTimerConfig, loopTimer } from './loop-timer.ts';

describe('the original reading of loop nodes', () => {
  it.each([
    ['3', 3],
    [2.9, 2],
    [true, 1],
    ['1_0', 10],
    ['abc', 'abc'],
    ['2.9', '2.9'],
    [null, null],
  ])('takes max_iterations: %j for %j', (written, read) => {
    expect(loopCounter.lenient?.({ max_iterations: written })).toEqual({ max_iterations: read });
  });

  it.each([
    ['5', 5],
    [' 1e-3 ', 0.001],
    ['soon', 'soon'],
  ])('takes max_duration: %j for %j', (written, read) => {
    expect(loopTimer.lenient?.({ max_duration: written })).toEqual({ max_duration: read });
  });

  it.each([
    ['false', true],
    ['', false],
    [0, false],
    [null, false],
    [[], false],
    [{ a: 1 }, true],
  ])('takes reset_on_emit: %j for %j', (written, read) => {
    expect(loopCounter.lenient?.({ reset_on_emit: written })).toEqual({ reset_on_emit: read });
  });

  it('leaves defaults to the schema and other fields alone', () => {
    const counter = loopCounter.lenient?.({ max_iterations: '3', message: 'x' });
    const timer = loopTimer.lenient?.({ passthrough: 1 });
    expect(LoopCounterConfig.parse(counter)).toEqual({ max_iterations: 3, reset_on_emit: true, message: 'x' });
    expect(LoopTimerConfig.parse(timer)).toMatchObject({ max_duration: 60, passthrough: true });
  });
});

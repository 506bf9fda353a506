import type { Activation } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { barOf, spanOf } from './bars.ts';

const at = (readyAt: number, startedAt?: number, settledAt?: number) =>
  ({ id: 'a1', readyAt, startedAt, settledAt, calls: [] }) as unknown as Activation; // all that bars look at

describe('the bars of a timeline', () => {
  it('cover the time from the first that was due to the last that settled', () => {
    expect(spanOf([at(100, 110, 200), at(150, 160, 300)], 5_000)).toEqual({ from: 100, to: 300 });
  });

  it('reach to the present while one goes on', () => {
    expect(spanOf([at(100, 110, 200), at(150)], 1_100)).toEqual({ from: 100, to: 1_100 });
  });

  it('are work as a whole when nobody knows when a quick one began', () => {
    expect(barOf(at(100, undefined, 200), { from: 100, to: 300 })).toMatchObject({ ready: 0, started: 0, ended: 0.5 });
  });

  it('show waiting in the queue apart from work', () => {
    expect(barOf(at(100, 150, 200), { from: 100, to: 300 })).toMatchObject({ ready: 0, started: 0.25, ended: 0.5 });
  });
});

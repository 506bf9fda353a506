import type { Activation } from '@millrace/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TimelineRow } from '../../activations/timeline-row.ts';
import { begunWith, spanOf } from '../../activations/timeline-row.ts';
import { criticalPath } from './critical-path.ts';
import { densityOf } from './overview.tsx';
import { piecesOf } from './timeline-geometry.ts';
import { formatWindow, panned, parseWindow, windowKeys, zoomed } from './timeline-window.ts';

const row = (id: string, readyAt: number, ...[settledAt, startedAt]: readonly number[]): TimelineRow => ({
  id,
  node: 'Work',
  graph: '',
  state: settledAt === undefined ? 'working' : 'completed',
  readyAt,
  settledAt,
  startedAt,
});
const window = { from: 100, to: 300 };

describe('the time of a timeline', () => {
  it('spans from the first ready activation to the last settled one', () => {
    expect(spanOf([row('a1', 100, 200), row('a2', 150, 300)], 5_000)).toEqual({ from: 100, to: 300 });
  });

  it('spans to the present while an activation is live', () => {
    expect(spanOf([row('a1', 100, 200), row('a2', 150)], 1_100)).toEqual({ from: 100, to: 1_100 });
  });

  it('is unknown without activations', () => {
    expect(spanOf([], 1)).toBeUndefined();
  });
});

describe('a bar', () => {
  it('separates the time in the queue from execution', () => {
    expect(piecesOf(row('a1', 100, 200, 150), undefined, { window, now: 0 })).toEqual([
      { kind: 'queue', from: 0, to: 0.25 },
      { kind: 'work', from: 0.25, to: 0.5 },
    ]);
  });

  it('is execution as a whole when its start is unknown', () => {
    expect(piecesOf(row('a1', 100, 200), undefined, { window, now: 0 })).toEqual([{ kind: 'work', from: 0, to: 0.5 }]);
  });

  it('has calls, a notch at a failed call, and the wait for a person', () => {
    const details = {
      askedAt: 200,
      calls: [
        { startedAt: 110, completedAt: 120, failed: true },
        { startedAt: 130, completedAt: 150 },
      ],
    } as unknown as Activation; // all that bars look at

    const pieces = piecesOf(row('a1', 100, 300, 110), details, { window, now: 0 });

    expect(pieces.map(({ kind }) => kind)).toEqual(['queue', 'work', 'wait', 'call', 'call', 'retry']);
    expect(pieces.find(({ kind }) => kind === 'wait')).toMatchObject({ from: 0.5, to: 1 });
  });

  it('is at work again after a decision about a call', () => {
    const details = { askedAt: 150, calls: [], approvals: [{ askedAt: 150, decidedAt: 200 }] } as unknown as Activation; // all that bars look at

    expect(piecesOf(row('a1', 100, 300, 100), details, { window, now: 0 })).toEqual([
      { kind: 'work', from: 0, to: 1 },
      { kind: 'wait', from: 0.25, to: 0.5 },
    ]);
  });

  it('begins with the first call when no worker has announced the activation', () => {
    expect(begunWith(row('a1', 100, 200), [{ startedAt: 150 }]).startedAt).toBe(150);
    expect(begunWith(row('a1', 100, 200, 120), [{ startedAt: 150 }]).startedAt).toBe(120);
    expect(begunWith(row('a1', 100, 200, 180), [{ startedAt: 150 }]).startedAt).toBe(150);
    expect(begunWith(row('a1', 100, 200)).startedAt).toBeUndefined();
  });

  it('is cut at the ends of the window, and absent outside of it', () => {
    expect(piecesOf(row('a1', 0, 1_000), undefined, { window, now: 0 })).toEqual([{ kind: 'work', from: 0, to: 1 }]);
    expect(piecesOf(row('a1', 400, 500), undefined, { window, now: 0 })).toEqual([]);
  });
});

describe('the overview', () => {
  it('counts live activations at each time, and failures where they happened', () => {
    const rows = [row('a1', 0, 49), row('a2', 0, 99), { ...row('a3', 50, 99), state: 'failed' as const }];

    const { live, failed } = densityOf(rows, { from: 0, to: 100 }, { parts: 4, now: 0 });

    expect([...live]).toEqual([2, 2, 2, 2]);
    expect([...failed]).toEqual([0, 0, 0, 1]);
  });
});

describe('the critical path', () => {
  it('leads from the last activation back through the cause of each', () => {
    const rows = [row('a1', 0, 10), row('a2', 10, 50), row('a3', 10, 20), row('a4', 50, 60), row('a5', 20, 30)];

    expect([...criticalPath(rows, 0)].sort()).toEqual(['a1', 'a2', 'a4']);
  });

  it('terminates with arbitrary times', () => {
    const times = fc.tuple(fc.nat(50), fc.nat(50));
    fc.assert(
      fc.property(fc.array(times), (all) => {
        const rows = all.map(([readyAt, took], at) => row(`a${at + 1}`, readyAt, readyAt + took));
        expect(criticalPath(rows, 0).size).toBeLessThanOrEqual(rows.length);
      }),
    );
  });
});

describe('the window of a timeline', () => {
  const whole = { from: 0, to: 1_000 };

  it('stays within the whole time after every movement', () => {
    const moves = fc.array(fc.constantFrom(...Object.keys(windowKeys)));
    fc.assert(
      fc.property(moves, (keys) => {
        let at: { readonly from: number; readonly to: number } = { from: 400, to: 600 };
        for (const key of keys) at = windowKeys[key]?.(at, whole) ?? at;
        expect(at.from).toBeGreaterThanOrEqual(0);
        expect(at.to).toBeLessThanOrEqual(1_000.001);
        expect(at.to).toBeGreaterThan(at.from);
      }),
    );
  });

  it('moves by a share of its length, and is halved around its middle', () => {
    expect(panned({ from: 400, to: 600 }, 0.5, whole)).toEqual({ from: 500, to: 700 });
    expect(zoomed({ from: 400, to: 600 }, 0.5, whole)).toEqual({ from: 450, to: 550 });
  });

  it('is part of the address', () => {
    const span = { from: 1_700_000_000_000, to: 1_700_000_004_000 };

    expect(parseWindow(formatWindow(span))).toEqual(span);
    for (const wrong of [undefined, '', '5-1', '1700000004000-1700000000000', 'x'])
      expect(parseWindow(wrong)).toBeUndefined();
  });
});

import type { Run, RunEvent } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { billOf, burnOf, inheritedOf, sumOf, timeLeft, usageOf } from './bill.ts';

const usage = (microUsd: number | undefined, calls = 1) => ({
  calls,
  promptTokens: 10,
  completionTokens: 5,
  ...(microUsd === undefined ? { unpriced: 1 } : { microUsd }),
});
const call = (at: number, nodeId: string, microUsd?: number): RunEvent =>
  ({
    id: `${at}-0`,
    at,
    event: { type: 'step.completed', nodeId, graph: '', usage: { promptTokens: 10, completionTokens: 5, microUsd } },
  }) as unknown as RunEvent; // what bills look at

describe('the bill of a run', () => {
  it('has graphs with their nodes, the root graph and the most expensive node first', () => {
    const bill = billOf({ 'Team/Coder': usage(9), Writer: usage(2), Editor: usage(5) } as Run['usageByNode']);

    expect(bill.map(({ key, nodes }) => [key, nodes.map(({ id }) => id)])).toEqual([
      ['', ['Editor', 'Writer']],
      ['Team', ['Coder']],
    ]);
    expect(bill[0]?.usage).toMatchObject({ calls: 2, promptTokens: 20, microUsd: 7 });
  });

  it('has the number of calls without a price, and no cost when all are', () => {
    expect(sumOf([usage(3), usage(undefined)])).toMatchObject({ microUsd: 3, unpriced: 1 });
    expect(sumOf([usage(undefined)])).not.toHaveProperty('microUsd');
  });

  it('at an event has the calls up to it', () => {
    expect(usageOf([call(1, 'Writer', 4), call(2, 'Writer', 1), call(3, 'Editor')])).toMatchObject({
      Writer: { calls: 2, microUsd: 5 },
      Editor: { calls: 1, unpriced: 1 },
    });
  });

  it('of a fork separates inherited costs', () => {
    const forked = {
      id: '2-0',
      at: 2,
      event: { type: 'run.forked', of: 'run_1', activation: 'a1' },
    } as unknown as RunEvent;

    expect(inheritedOf([call(1, 'Writer', 4), forked, call(3, 'Writer', 9)])).toMatchObject({
      of: 'run_1',
      usage: { microUsd: 4 },
    });
    expect(inheritedOf([call(1, 'Writer', 4)])).toBeUndefined();
  });
});

describe('the spending rate of a run', () => {
  it('is its cost per minute in the last five minutes', () => {
    const start = { id: '0-1', at: 0, event: { type: 'run.started' } } as unknown as RunEvent;

    expect(burnOf([start, call(10_000, 'Writer', 100), call(60_000, 'Writer', 20)], 120_000)).toEqual({
      tokens: 15,
      microUsd: 60,
    });
    expect(burnOf([start, call(10_000, 'Writer', 100)], 1_000_000)).toEqual({ tokens: 0, microUsd: 0 });
  });

  it('is absent for a run that has just begun', () => {
    expect(burnOf([call(0, 'Writer', 1)], 5_000)).toBeUndefined();
  });

  it('predicts the end of the budget', () => {
    const budget = { limit: { microUsd: 100 }, spent: { microUsd: 60, tokens: 0 } } as unknown as NonNullable<
      Run['budget']
    >;

    expect(timeLeft(budget, { tokens: 0, microUsd: 10 })).toBe(4 * 60_000);
    expect(timeLeft(budget, { tokens: 5, microUsd: 0 })).toBeUndefined();
  });
});

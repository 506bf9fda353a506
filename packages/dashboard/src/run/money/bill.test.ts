import type { Run, RunEvent, RunGraphs } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { billOf, burnOf, sumOf, timeLeft, usageOfGraphs } from './bill.ts';

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

  it('at an event has the usage of the nodes of the graphs at that event', () => {
    const node = (id: string, microUsd?: number) => ({
      id,
      ...(microUsd === undefined ? {} : { usage: usage(microUsd) }),
    });
    const graphs = [
      { key: '', nodes: [node('Writer', 5), node('Editor')] },
      { key: 'Team', nodes: [node('Coder', 2)] },
    ] as unknown as RunGraphs['graphs']; // what bills look at

    expect(usageOfGraphs({ graphs } as RunGraphs)).toEqual({ Writer: usage(5), 'Team/Coder': usage(2) });
  });
});

describe('the spending rate of a run', () => {
  it('is its cost per minute in the last five minutes', () => {
    const calls = [call(60_000, 'Writer', 20), call(10_000, 'Writer', 100)];

    expect(burnOf({ calls, since: 0 }, 120_000)).toEqual({ tokens: 15, microUsd: 60 });
    expect(burnOf({ calls, since: 0 }, 1_000_000)).toEqual({ tokens: 0, microUsd: 0 });
  });

  it('is measured over the time of which all calls are known', () => {
    expect(burnOf({ calls: [call(60_000, 'Writer', 20)], since: 60_000 }, 90_000)).toEqual({
      tokens: 30,
      microUsd: 40,
    });
  });

  it('is absent for a run that has just begun', () => {
    expect(burnOf({ calls: [call(0, 'Writer', 1)], since: 0 }, 5_000)).toBeUndefined();
  });

  it('predicts the end of the budget', () => {
    const budget = { limit: { microUsd: 100 }, spent: { microUsd: 60, tokens: 0 } } as unknown as NonNullable<
      Run['budget']
    >;

    expect(timeLeft(budget, { tokens: 0, microUsd: 10 })).toBe(4 * 60_000);
    expect(timeLeft(budget, { tokens: 5, microUsd: 0 })).toBeUndefined();
  });
});

import type { RunLine } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { parseSort, sortedRuns } from './run-order.ts';

const run = (runId: string, startedAt: number, others: Partial<RunLine>): RunLine => ({
  runId,
  workflow: 'w',
  plan: 'p',
  status: 'completed',
  tags: [],
  startedAt,
  activations: 1,
  ...others,
});
const usage = (microUsd: number) => ({ calls: 1, promptTokens: 1, completionTokens: 1, microUsd });
const runs = [
  run('quick', 900, { finishedAt: 910, usage: usage(30) }),
  run('going', 500, { status: 'running', usage: usage(10) }),
  run('free', 100, { finishedAt: 300 }),
];

describe('runs', () => {
  it.each([
    ['duration', ['going', 'free', 'quick']],
    ['cost', ['quick', 'going', 'free']],
  ] as const)('by %s have the largest first', (by, expected) => {
    expect(sortedRuns(runs, by, 1_000).map(({ runId }) => runId)).toEqual(expected);
  });

  it('are not sorted by what is no column', () => {
    expect(parseSort('cost')).toBe('cost');
    expect(parseSort('tokens')).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { TimelineRow } from '../activations/timeline-row.ts';
import type { ComparedRun } from './pairs.ts';
import { pairsOf, tallyOf } from './pairs.ts';

let count = 0;
const row = (node: string, digest: string, more: Partial<TimelineRow> = {}): TimelineRow => {
  count += 1;
  return {
    id: `a${count}`,
    node,
    graph: '',
    state: 'completed',
    readyAt: count,
    settledAt: 1_000 + count,
    digest,
    ...more,
  };
};
const runOf = (runId: string, more: Partial<ComparedRun> = {}): ComparedRun => ({ runId, startedAt: 0, ...more });
const wordsOf = (a: readonly TimelineRow[], b: readonly TimelineRow[], runs = [runOf('A'), runOf('B')] as const) =>
  pairsOf({ run: runs[0], rows: a }, { run: runs[1], rows: b }).map(
    (pair) => `${(pair.a ?? pair.b)?.node} ${pair.verdict}${pair.isCommon ? ' common' : ''}`,
  );

describe('the activations of two runs', () => {
  it('are paired by their place, and are the same where their outputs have the same digest', () => {
    const a = [row('Writer', 'x'), row('Reviewer', 'again'), row('Guard', 'y'), row('Final', 'z')];
    const b = [row('Writer', 'x'), row('Reviewer', 'ACCEPT'), row('Final', 'z'), row('Mail', 'm')];

    expect(wordsOf(a, b)).toEqual(['Writer same', 'Reviewer changed', 'Guard only A', 'Final same', 'Mail only B']);
  });

  it('are paired by iteration and by unit, whatever ran at the same time', () => {
    const a = [
      row('W', '1', { iteration: 1 }),
      row('W', '2', { iteration: 2 }),
      row('Each', 'p', { unit: 0 }),
      row('Each', 'q', { unit: 1 }),
    ];
    const b = [row('W', '1', { iteration: 1 }), row('Each', 'q', { unit: 1 }), row('Each', 'p', { unit: 0 })];

    expect(wordsOf(a, b)).toEqual(['W same', 'W only A', 'Each same', 'Each same']);
  });

  it('distinguish the executions of a node without a loop', () => {
    expect(wordsOf([row('A', '1'), row('A', '2')], [row('A', '1'), row('A', '3'), row('A', '4')])).toEqual([
      'A same',
      'A changed',
      'A only B',
    ]);
  });

  it('have changed where one has failed and the other has not', () => {
    expect(wordsOf([row('A', '', { state: 'failed' })], [row('A', '')])).toEqual(['A changed']);
  });
});

describe('a fork', () => {
  const fork = runOf('B', { startedAt: 500, origin: { type: 'fork', of: 'A' } });

  it('has its past in common with its origin, and not what followed with the same result', () => {
    const a = [row('Writer', 'x', { id: 'a1' }), row('Final', 'z', { id: 'a2' })];
    const b = [row('Writer', 'x', { id: 'a1', settledAt: 500 }), row('Final', 'z', { id: 'a2', settledAt: 900 })];

    expect(wordsOf(a, b, [runOf('A'), fork])).toEqual(['Writer same common', 'Final same']);
    expect(wordsOf(b, a, [fork, runOf('A')])).toEqual(['Writer same common', 'Final same']);
    expect(wordsOf(a, b, [runOf('C'), fork])).toEqual(['Writer same', 'Final same']);
  });
});

it('are counted by how they compare, also when there are many', () => {
  const rows = (digest: string) =>
    Array.from({ length: 10_000 }, (_, unit) => row('Each', `${unit % 10 === 0 ? digest : ''}${unit}`, { unit }));

  const tally = tallyOf(pairsOf({ run: runOf('A'), rows: rows('x') }, { run: runOf('B'), rows: rows('y') }));

  expect(tally).toEqual({ same: 9_000, changed: 1_000, 'only A': 0, 'only B': 0 });
});

import { describe, expect, it } from 'vitest';
import type { TimelineRow } from '../../activations/timeline-row.ts';
import { parseActivationsSearch } from './activations-search.ts';
import { chooseRows } from './choose-rows.ts';

const row = (id: string, facts: Partial<TimelineRow> = {}): TimelineRow => ({
  ...{ id, node: 'Work', graph: '', state: 'completed', readyAt: 0, settledAt: 1 },
  ...facts,
});
const rows = [
  row('a1', { settledAt: 5, microUsd: 1 }),
  row('a2', { graph: 'Team', settledAt: 9, iteration: 2 }),
  row('a3', { state: 'failed', settledAt: 7, microUsd: 3, unit: 0 }),
];
const ids = (search: Readonly<Record<string, unknown>>) =>
  chooseRows(rows, parseActivationsSearch(search), 0).map(({ id }) => id);

describe('the table of activations', () => {
  it.each([
    [{}, ['a1', 'a2', 'a3']],
    [{ node: 'Work' }, ['a1', 'a3']],
    [{ node: 'Team/Work' }, ['a2']],
    [{ state: 'failed' }, ['a3']],
    [{ iteration: 2 }, ['a2']],
    [{ unit: 0 }, ['a3']],
    [{ sort: 'took' }, ['a2', 'a3', 'a1']],
    [{ sort: 'cost' }, ['a3', 'a1', 'a2']],
    [{ state: 'no such', iteration: 'x', sort: 'y' }, ['a1', 'a2', 'a3']],
  ])('shows the rows that its address selects: %o', (search, expected) => {
    expect(ids(search)).toEqual(expected);
  });
});

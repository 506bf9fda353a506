import type { TimelineRow } from '../../activations/timeline-row.ts';
import { workedMs } from '../../activations/timeline-row.ts';
import type { ActivationsSearch } from './activations-search.ts';

/** Returns the path of the node of an activation: the key of its graph and its id. */
export const pathOf = ({ graph, node }: Pick<TimelineRow, 'graph' | 'node'>): string =>
  graph === '' ? node : `${graph}/${node}`;

/** Returns the activations that a filter leaves, in its order. */
export function chooseRows(
  rows: readonly TimelineRow[],
  search: ActivationsSearch,
  now: number,
): readonly TimelineRow[] {
  const { node, state, iteration, unit, sort } = search;
  const chosen = rows.filter(
    (row) =>
      (node === undefined || pathOf(row) === node) &&
      (state === undefined || row.state === state) &&
      (iteration === undefined || row.iteration === iteration) &&
      (unit === undefined || row.unit === unit),
  );
  if (sort === 'took') return chosen.sort((one, other) => workedMs(other, now) - workedMs(one, now));
  if (sort === 'cost') return chosen.sort((one, other) => (other.microUsd ?? 0) - (one.microUsd ?? 0));
  return chosen;
}

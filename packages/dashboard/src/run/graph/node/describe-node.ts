import { formatCount } from '../../../kit/values/format.ts';
import type { NodeView } from '../view/node-view.ts';

/** Returns the description of a node for screen readers: `Reviewer, human, waiting, 2 runs, in loop iteration 3`. */
export function describeNode(node: NodeView): string {
  const { id, type, status, runs, live, iteration, units } = node;
  return [
    id,
    type,
    status,
    runs === 0 ? '' : timesOf(runs),
    units === undefined ? (live > 1 ? `${live} live` : '') : `${units.completed} of ${units.total} units`,
    units !== undefined && units.failed > 0 ? `${units.failed} failed` : '',
    iteration === undefined || iteration === 0 ? '' : `in loop iteration ${iteration}`,
  ]
    .filter((word) => word !== '')
    .join(', ');
}

/** Returns the number of runs of a node. */
export const timesOf = (runs: number): string => (runs === 1 ? '1 run' : `${formatCount(runs)} runs`);

/** Returns the count of a loop counter that was triggered `runs` times: one that starts anew at its limit has reached it. */
export const countedOf = ({ value, limit }: NonNullable<NodeView['counter']>, runs: number): number =>
  value === 0 && runs > 0 ? limit : value;

import type { OperationOutput } from '@millrace/client';
import type { TimelineRow } from './timeline-row.ts';

/** Returns the rows of the columns of a timeline. */
export function rowsOf(timeline: OperationOutput<'runs.timeline'>): readonly TimelineRow[] {
  const { firstAt, nodes, states, id, node, state, ready, started, settled, unit, turn, microUsd, head, digest } =
    timeline;
  return id.map((number, at) => {
    const readyAt = firstAt + (ready[at] ?? 0);
    const place = nodes[node[at] ?? -1] ?? { graph: '', node: '' };
    return {
      id: `a${number}`,
      ...place,
      state: states[state[at] ?? -1] ?? 'ready',
      readyAt,
      startedAt: unless(started[at], (ms) => readyAt + ms),
      settledAt: unless(settled[at], (ms) => readyAt + ms),
      unit: unless(unit[at], same),
      turn: unless(turn[at], same),
      microUsd: microUsd[at],
      head: head[at],
      digest: digest[at],
    };
  });
}

const same = (value: number): number => value;

/** Columns have -1, or nothing at all, where an activation has no value. */
const unless = (value: number | undefined, then: (value: number) => number): number | undefined =>
  value === undefined || value < 0 ? undefined : then(value);

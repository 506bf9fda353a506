import type { ArchivedSegment, RunId } from '@millrace/core';
import type { RunProjection } from '@millrace/core/projection';
import type { OpenRun } from '../commit/cached-run.ts';
import { endOf } from '../journal/archive/segment.ts';
import type { ActivationSource } from './activation-source.ts';

/*
 * A page of the activations of one node must not read all others. Each archived part of the journal ends with a projection, which
 * knows the latest activation of each node until then. So the part with the next activation of a node is found by halving.
 */

/** A node by its id, in the graph with this key; absent: in any graph. */
export interface NodeFilter {
  readonly node: string;
  readonly graph?: string | undefined;
}

/** Sources of the projections of a run. */
interface SkipSource {
  readonly runs: Pick<ActivationSource['runs'], 'projection'>;
}

/**
 * Returns the number of an activation behind which the next one of a node is nearby, not before the activation `after`;
 * undefined when none follows.
 */
export async function skipToNode(
  { runs }: SkipSource,
  run: RunId,
  { now, after, ...filter }: NodeFilter & { readonly now: OpenRun; readonly after: number },
): Promise<number | undefined> {
  const parts: readonly ArchivedSegment[] = [...now.state.list('archive/journal')];
  const follows = async (part?: ArchivedSegment): Promise<boolean> => {
    const projection = await (part === undefined ? runs.projection(run) : runs.projection(run, endOf(part.to)));
    return projection !== undefined && latestOf(projection, now, filter) > after;
  };
  if (!(await follows())) return undefined;
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await follows(parts[middle])) high = middle;
    else low = middle + 1;
  }
  return Math.max(after, parts[low - 1]?.activations ?? 0);
}

/** Returns the number of the latest activation of a node in a projection; 0 when there is none. */
function latestOf(projection: RunProjection, { plan }: OpenRun, { node, graph }: NodeFilter): number {
  const numbers = [...plan.graphs.values()].flatMap(({ key, nodes }) => {
    if (graph !== undefined && key !== graph) return [];
    const index = nodes.findIndex(({ id }) => id === node);
    return Number(projection.graphs.get(key)?.nodes.get(index)?.last?.slice(1) ?? 0);
  });
  return Math.max(0, ...numbers);
}

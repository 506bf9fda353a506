import type { RunId } from '@millrace/core';
import type { Activation, ActivationState } from './activation-projection.ts';
import { activationOf } from './activation-projection.ts';
import type { ActivationSource } from './activation-source.ts';
import { headsOf } from './list-activations.ts';
import type { ActivationRange } from './read-activations.ts';
import { readActivations } from './read-activations.ts';

/** Node of a timeline: its graph by key, and its id. */
export interface TimelineNode {
  readonly graph: string;
  readonly node: string;
}

/** One activation of a timeline. */
export interface TimelineEntry
  extends Pick<Activation, 'id' | 'state' | 'readyAt' | 'startedAt' | 'settledAt' | 'unit' | 'turn' | 'usage'> {
  /** Index of its node. */
  readonly node: number;
  readonly state: ActivationState;
  /** First characters of its last output, if they are wanted. */
  readonly head?: string;
}

/** Activations of a run without their calls and messages. */
export interface Timeline {
  readonly nodes: readonly TimelineNode[];
  readonly entries: readonly TimelineEntry[];
  /** More activations follow. */
  readonly hasMore: boolean;
}

/** Part of a timeline. */
export interface TimelineRange extends ActivationRange {
  /** Number of characters of the last output of each activation; absent: outputs are not read. */
  readonly headChars?: number;
}

/** Reads a timeline of activations in the order in which they became ready; undefined when there is no such run. */
export async function readTimeline(
  source: ActivationSource,
  run: RunId,
  { after, limit, headChars }: TimelineRange,
): Promise<Timeline | undefined> {
  // One more than is wanted shows if more follow.
  const read = await readActivations(source, run, { after, limit: limit + 1 });
  if (read === undefined) return undefined;
  const nodes: TimelineNode[] = [];
  const indices = new Map<string, number>();
  const indexOf = ({ graph, node }: TimelineNode): number => {
    const place = `${graph.length} ${graph}${node}`;
    const known = indices.get(place);
    if (known !== undefined) return known;
    indices.set(place, nodes.length);
    return nodes.push({ graph, node }) - 1;
  };
  const activations = read.projections.slice(0, limit).map((projection) => activationOf(projection, read.now));
  const outputs = activations.map(({ outputs: all }) => all.at(-1));
  const heads = headChars === undefined ? [] : await headsOf(source, run, { outputs, chars: headChars });
  const entries = activations.map(({ graph, node, ...activation }, at): TimelineEntry => {
    const head = heads[at]?.text;
    return { ...activation, node: indexOf({ graph, node }), ...(head === undefined ? {} : { head }) };
  });
  return { nodes, entries, hasMore: read.projections.length > limit };
}

import type { RunProjection } from '@millrace/core/projection';
import type { RunGraph } from './run-graph.ts';

/** A loop of a graph. */
export interface LoopView {
  /** Key of its graph, and its members. */
  readonly place: string;
  /** Indices of its nodes. */
  readonly members: readonly number[];
  /** Its first node, by which addresses name it. */
  readonly name: string;
  /** Iteration of its newest execution; 0 before the first one. */
  readonly iteration: number;
  /** null: none; absent before it was entered. */
  readonly limit?: number | null | undefined;
  readonly isLive: boolean;
}

/** Returns the loops of a graph, outer ones first. */
export function loopViewsOf(graph: RunGraph, projection: RunProjection | undefined): readonly LoopView[] {
  const served = graph.cycles.map(({ nodes, iteration, limit, live }) => ({
    members: nodes,
    iteration,
    isLive: live,
    ...(limit === undefined ? {} : { limit }),
  }));
  const loops = projection === undefined ? served : [...enteredIn(projection, graph.key), ...served.map(notEntered)];
  const known = new Set<string>();
  return loops
    .map((loop) => ({
      ...loop,
      place: `${graph.key}\n${loop.members.join(' ')}`,
      name: graph.nodes[loop.members[0] ?? -1]?.id ?? '',
    }))
    .filter(({ place }) => !known.has(place) && known.add(place))
    .sort((one, other) => other.members.length - one.members.length);
}

type LoopState = Omit<LoopView, 'place' | 'name'>;

const notEntered = ({ members }: LoopState): LoopState => ({ members, iteration: 0, isLive: false });

const enteredIn = ({ graphs }: RunProjection, key: string): readonly LoopState[] =>
  (graphs.get(key)?.cycles ?? []).map(({ members, iteration, limit, open }) => ({
    members,
    iteration,
    limit,
    isLive: open > 0,
  }));

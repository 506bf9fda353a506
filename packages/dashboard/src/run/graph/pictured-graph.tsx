import type { Run } from '@millrace/client';
import type { FailureProjection, RunProjection } from '@millrace/core/projection';
import { useMemo, useRef, useState } from 'react';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { useRun } from '../use-run.ts';
import { GraphCanvas } from './canvas/graph-canvas.tsx';
import type { FlowContext } from './flow/flow.ts';
import { flowOf } from './flow/flow.ts';
import { createFlowCache } from './flow/flow-cache.ts';
import type { NodeCardData } from './flow/parts.ts';
import { useLayout } from './layout/use-layout.ts';
import { NodeCard } from './node/node-card.tsx';
import { showsTime } from './node/node-line.tsx';
import { useActions } from './use-actions.ts';
import { usePlace } from './use-place.ts';
import type { GraphView } from './view/graph-view.ts';
import type { NodeView } from './view/node-view.ts';
import { useTurnView } from './view/use-turn-view.ts';

/** Nodes of a graph that can be opened inside its node. */
const mostInside = 40;

interface PicturedGraphProps {
  readonly run: string;
  readonly views: ReadonlyMap<string, GraphView>;
  /** Key of the graph. */
  readonly of: string;
  readonly projection: RunProjection | undefined;
  /** Time of a picture that does not change; undefined: it is live. */
  readonly asOf: number | undefined;
}

const attention: readonly NodeView['status'][] = ['failed', 'waiting', 'working', 'ready'];

/** One graph as a picture, with the graphs that are open inside its nodes. */
export function PicturedGraph({ run, views, of, projection, asOf }: PicturedGraphProps) {
  const [place] = usePlace();
  const { data: facts } = useRun(run);
  const [focused, setFocused] = useState<string>();
  const [isFollowing, follow] = useState(true);
  const cache = useRef(createFlowCache()).current;
  const open = useMemo(() => new Set(place.open), [place.open]);
  const { placed, error } = useLayout({ plan: facts?.plan, views, of, open });
  const turn = useTurnView(run, { view: views.get(of), projection });
  const actions = useActions(of, setFocused);
  const shown = [...views.values()].filter(({ graph }) => graph.key === of || open.has(graph.key));
  const nodes = shown.flatMap((view) => view.nodes);
  const active = attention.flatMap((state) => nodes.filter(({ status }) => status === state).map((one) => one.place));
  const entry = focused ?? active[0] ?? nodes[0]?.place;
  const context: FlowContext<NodeCardData> = {
    views,
    cache,
    card: (node) => ({
      run,
      actions,
      isEntry: node.place === entry,
      isChosen: node.id === place.n && node.key === (place.in ?? of),
      isDimmed: turn !== undefined && node.key === of && !turn.nodes.has(node.place),
      // Other cards are not drawn again for another time.
      asOf: showsTime(node) ? asOf : undefined,
      failure: failureOf(node, place.at === undefined ? facts?.error : undefined),
      ...insideOf(node, views, open),
    }),
    edge: (edge) => ({
      isDimmed: turn !== undefined && !turn.edges.has(edge.place.slice('edge\n'.length)),
    }),
    loop: ({ name }) => ({ actions, picked: place.loop === name ? place.turn : undefined }),
  };
  if (error !== undefined) return <Problem error={error} />;
  if (placed === undefined) return <Skeleton rows={8} />;
  return (
    <GraphCanvas
      flow={flowOf(placed, context)}
      card={NodeCard}
      active={active}
      focused={entry}
      isFollowing={isFollowing && place.at === undefined}
      follow={follow}
    />
  );
}

/**
 * Returns the error that a card shows: that of its event, or of the run where the journal is too long to be loaded. Numbers of
 * units and states of an inner graph say more than the error of one of them.
 */
function failureOf(
  { status, units, graph, key, id, failure }: NodeView,
  error: Run['error'] = null,
): FailureProjection | undefined {
  if (status !== 'failed' || units !== undefined || graph !== undefined) return undefined;
  return failure ?? (key === '' && error?.node === id ? error : undefined);
}

/** Returns the picture that a card shows of the graph inside its node. */
function insideOf(
  { graph }: NodeView,
  views: ReadonlyMap<string, GraphView>,
  open: ReadonlySet<string>,
): Pick<NodeCardData, 'isOpen' | 'canOpen' | 'inner'> {
  const inside = graph === undefined ? undefined : views.get(graph)?.nodes;
  if (graph === undefined || inside === undefined) return { isOpen: false, canOpen: false, inner: undefined };
  return {
    isOpen: open.has(graph),
    canOpen: inside.length <= mostInside,
    inner: inside.map(({ status }) => status).join(' '),
  };
}

import type { Run } from '@millrace/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { SquareArrowOutUpRight } from 'lucide-react';
import { memo, useMemo, useRef, useState } from 'react';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { useGraphs } from '../run/follow/use-graphs.ts';
import canvas from '../run/graph/canvas/graph-canvas.module.css';
import { GraphCanvas } from '../run/graph/canvas/graph-canvas.tsx';
import type { FlowContext } from '../run/graph/flow/flow.ts';
import { flowOf } from '../run/graph/flow/flow.ts';
import { createFlowCache } from '../run/graph/flow/flow-cache.ts';
import type { GraphActions } from '../run/graph/flow/graph-actions.ts';
import type { CardData, CardPart } from '../run/graph/flow/parts.ts';
import { styleOf } from '../run/graph/layout/style-of.ts';
import { useLayout } from '../run/graph/layout/use-layout.ts';
import { iconOf } from '../run/graph/node/icons.ts';
import type { RunGraph } from '../run/graph/view/run-graph.ts';
import { useGraphViews } from '../run/graph/view/use-graph-views.ts';
import classes from './compare.module.css';
import { PairTable } from './pair-table.tsx';
import type { Pair, Tally } from './pairs.ts';
import { tallyOf } from './pairs.ts';
import { Verdict } from './verdict.tsx';

const noOpenGraph: ReadonlySet<string> = new Set();

interface ComparedGraphProps {
  readonly runA: Run;
  readonly runB: Run;
  readonly pairs: readonly Pair[];
}

/** The graph of both runs in one picture: each node shows how its activations compare, and edges with different traffic are highlighted. */
export function ComparedGraph({ runA, runB, pairs }: ComparedGraphProps) {
  const { data: a, error: errorA } = useGraphs(runA.runId, { isUnfolded: true });
  const { data: b, error: errorB } = useGraphs(runB.runId, { isUnfolded: true });
  const unions = useMemo(() => (a === undefined || b === undefined ? undefined : unionOf(a.graphs, b.graphs)), [a, b]);
  const error = errorA ?? errorB;
  if (error !== null) return <Problem error={error} />;
  if (unions === undefined) return <Skeleton rows={8} />;
  return <Picture unions={unions} plans={`${runA.plan} ${runB.plan}`} pairs={pairs} />;
}

interface PictureProps {
  readonly unions: readonly UnionGraph[];
  /** Hashes of both workflows. */
  readonly plans: string;
  readonly pairs: readonly Pair[];
}

function Picture({ unions, plans, pairs }: PictureProps) {
  const { g = '', n } = useSearch({ from: '/runs/$run/compare/$other' });
  const navigate = useNavigate({ from: '/runs/$run/compare/$other' });
  const [focused, setFocused] = useState<string>();
  const cache = useRef(createFlowCache()).current;
  const views = useGraphViews(unions, undefined);
  const union = unions.find(({ key }) => key === g) ?? unions[0];
  const of = union?.key ?? '';
  const { placed, error } = useLayout({ plan: plans, views, of, open: noOpenGraph });
  const byNode = useMemo(() => pairsByNode(pairs), [pairs]);
  const change = (changed: object) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const actions = useRef<GraphActions>({
    choose: ({ id }) => change({ n: id }),
    focus: setFocused,
    enter: (key) => change({ g: key === '' ? undefined : key, n: undefined }),
    toggle: () => undefined,
    pick: () => undefined,
  }).current;
  if (error !== undefined) return <Problem error={error} />;
  if (placed === undefined || union === undefined) return <Skeleton rows={8} />;
  const nodes = views.get(of)?.nodes ?? [];
  const pairsOfNode = (id: string) => byNode.get(`${of}\n${id}`) ?? [];
  const differing = nodes.filter(({ id }) => pairsOfNode(id).some(({ verdict }) => verdict !== 'same'));
  const context: FlowContext<ComparedCardData> = {
    views,
    cache,
    card: (node) => ({
      actions,
      isEntry: node.place === (focused ?? nodes[0]?.place),
      isChosen: node.id === n,
      isOpen: false,
      owner: union.onlyA.has(node.id) ? 'only A' : union.onlyB.has(node.id) ? 'only B' : undefined,
      ...tallyOf(pairsOfNode(node.id)),
    }),
    edge: (edge) => ({ isDimmed: isEqual(union.passes.get(endsOf(edge))) }),
    loop: () => ({ actions, picked: undefined }),
  };
  const chosen = n === undefined ? [] : pairsOfNode(n);
  return (
    <>
      {of !== '' && (
        <p>
          <button type="button" className="button" onClick={() => change({ g: undefined, n: undefined })}>
            Back to the root graph
          </button>{' '}
          {of}
        </p>
      )}
      <div className={`${classes['picture']} spaced`}>
        <GraphCanvas
          flow={flowOf(placed, context)}
          card={ComparedCard}
          active={differing.map(({ place }) => place)}
          focused={focused ?? nodes[0]?.place}
          isFollowing={false}
          follow={() => undefined}
        />
      </div>
      {chosen.length > 0 && (
        <PairTable
          pairs={chosen}
          open={undefined}
          show={(pair) => change({ view: undefined, a: pair.a?.id, b: pair.b?.id })}
        />
      )}
    </>
  );
}

const isEqual = (passes: EdgePasses | undefined): boolean => passes?.a === passes?.b;

/** Returns the pairs of each node, by the key of its graph and its id. */
function pairsByNode(pairs: readonly Pair[]): ReadonlyMap<string, readonly Pair[]> {
  const found = new Map<string, Pair[]>();
  for (const pair of pairs) {
    const { graph = '', node = '' } = pair.b ?? pair.a ?? {};
    const place = `${graph}\n${node}`;
    const known = found.get(place);
    if (known === undefined) found.set(place, [pair]);
    else known.push(pair);
  }
  return found;
}

/** Content of a node in the picture of two runs, beside the node itself: the numbers of its pairs. */
interface ComparedCardData extends Tally, CardData {
  readonly actions: GraphActions;
  /** The keyboard enters the graph here. */
  readonly isEntry: boolean;
  readonly isChosen: boolean;
  /** The workflow of the other run lacks the node. */
  readonly owner: 'only A' | 'only B' | undefined;
}

const verdicts = ['changed', 'only A', 'only B', 'same'] as const;

/** One node of the graph of two runs, with how its activations compare. */
const ComparedCard = memo(function ComparedCard({ part }: { readonly part: CardPart<ComparedCardData> }) {
  const { node, actions, box, isEntry, isChosen, owner } = part;
  const { id, type, place, graph } = node;
  const Icon = iconOf(type);
  const shown = verdicts.filter((verdict) => part[verdict] > 0);
  const label = shown.map((verdict) => `${part[verdict]} ${verdict}`).join(', ');
  return (
    <div
      className={`${canvas['card']} ${classes['card']} stack`}
      style={styleOf(box)}
      data-verdict={owner ?? shown[0] ?? 'idle'}
      data-chosen={isChosen}
    >
      <button
        type="button"
        className={canvas['cover']}
        aria-label={`${id}, ${type}, ${owner === undefined ? '' : `${owner} has it, `}${label === '' ? 'never due' : label}`}
        aria-pressed={isChosen}
        tabIndex={isEntry ? 0 : -1}
        data-place={place}
        onClick={() => actions.choose(node)}
        onFocus={() => actions.focus(place)}
      />
      <span className={`${classes['head']} row`}>
        <Icon aria-hidden size={16} className="muted" />
        <strong title={id}>{id}</strong>
      </span>
      <span className={`${classes['words']} row muted small nowrap`}>
        {shown.map((verdict) => (
          <span key={verdict}>
            {part[verdict]} <Verdict of={verdict} />
          </span>
        ))}
        {shown.length === 0 && 'never due'}
      </span>
      {graph !== undefined && (
        <button
          type="button"
          tabIndex={-1}
          className={`${classes['enter']} icon-button muted`}
          onClick={() => actions.enter(graph)}
          aria-label={`Open the graph inside ${id}`}
          title="Enter the graph inside"
        >
          <SquareArrowOutUpRight aria-hidden size={13} />
        </button>
      )}
    </div>
  );
});

/** One graph as two runs have it. */
interface UnionGraph extends RunGraph {
  /** Ids of the nodes that only one of them has. */
  readonly onlyA: ReadonlySet<string>;
  readonly onlyB: ReadonlySet<string>;
  /** Numbers of messages on its edges, by {@link endsOf}. */
  readonly passes: ReadonlyMap<string, EdgePasses>;
}

/** Numbers of messages on an edge in each run; undefined for a run without this edge. */
interface EdgePasses {
  readonly a: number | undefined;
  readonly b: number | undefined;
}

/** Returns the key of an edge: the ids of its nodes. */
const endsOf = ({ from, to }: { readonly from: string; readonly to: string }): string => `${from}\n${to}`;

/**
 * Returns the graphs of two runs as one: nodes and edges are those of run B, followed by those that only run A has. Nodes
 * with the same id are the same.
 */
function unionOf(graphsA: readonly RunGraph[], graphsB: readonly RunGraph[]): readonly UnionGraph[] {
  const byKeyA = new Map(graphsA.map((graph) => [graph.key, graph]));
  const keysB = new Set(graphsB.map(({ key }) => key));
  return [
    ...graphsB.map((graph) => united(byKeyA.get(graph.key), graph)),
    ...graphsA.filter(({ key }) => !keysB.has(key)).map((graph) => united(graph, undefined)),
  ];
}

function united(a: RunGraph | undefined, b: RunGraph | undefined): UnionGraph {
  const [idsA, idsB] = [idsOf(a), idsOf(b)];
  const [edgesA, edgesB] = [edgesOf(a), edgesOf(b)];
  const base = b ?? a;
  if (base === undefined) throw new Error('neither run has the graph');
  const nodes = [...base.nodes, ...(a?.nodes ?? []).filter(({ id }) => !idsOf(base).has(id))];
  const edges = [...base.edges, ...(a?.edges ?? []).filter((edge) => !edgesOf(base).has(endsOf(edge)))];
  return {
    ...base,
    nodes,
    // Iterations belong to one run.
    cycles: base.cycles.map((cycle) => ({ ...cycle, iteration: 0, live: false })),
    edges: edges.map((edge, index) => ({
      ...edge,
      index,
      ...labelOf(edge, { a: edgesA.get(endsOf(edge)), b: edgesB.get(endsOf(edge)) }),
    })),
    onlyA: new Set(nodes.flatMap(({ id }) => (idsB.has(id) ? [] : [id]))),
    onlyB: new Set(nodes.flatMap(({ id }) => (idsA.has(id) ? [] : [id]))),
    passes: new Map(
      edges.map((edge) => {
        const ends = endsOf(edge);
        return [ends, { a: edgesA.get(ends), b: edgesB.get(ends) }];
      }),
    ),
  };
}

/** Returns the label of an edge that passed other messages, or does not exist, in one of the runs. */
function labelOf({ condition = '', passed }: RunGraph['edges'][number], { a, b }: EdgePasses) {
  if (a === b) return { passed };
  const label = a === undefined ? '› only B' : b === undefined ? '‹ only A' : `A ${a}× B ${b}×`;
  return { passed: 0, condition: condition === '' ? label : `${label} · ${condition}` };
}

const idsOf = (graph: RunGraph | undefined): ReadonlySet<string> => new Set(graph?.nodes.map(({ id }) => id));

const edgesOf = (graph: RunGraph | undefined): ReadonlyMap<string, number> =>
  new Map(graph?.edges.map((edge) => [endsOf(edge), edge.passed]));

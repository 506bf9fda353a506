import type { Run } from '@millrace/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { GraphCanvas } from '../../run/graph/canvas/graph-canvas.tsx';
import type { FlowContext } from '../../run/graph/flow/flow.ts';
import { flowOf } from '../../run/graph/flow/flow.ts';
import { createFlowCache } from '../../run/graph/flow/flow-cache.ts';
import type { GraphActions } from '../../run/graph/flow/graph-actions.ts';
import { useLayout } from '../../run/graph/layout/use-layout.ts';
import { useGraphViews } from '../../run/graph/view/use-graph-views.ts';
import { useGraphs } from '../../run/use-graphs.ts';
import classes from '../compare.module.css';
import { PairTable } from '../pair-table.tsx';
import type { Pair } from '../pairs.ts';
import { tallyOf } from '../pairs.ts';
import type { ComparedCardData } from './compared-card.tsx';
import { ComparedCard } from './compared-card.tsx';
import type { EdgePasses, UnionGraph } from './union-graph.ts';
import { endsOf, unionOf } from './union-graph.ts';

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
      <div className={classes['picture']}>
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

import { useEffect, useMemo, useRef, useState } from 'react';
import type { GraphView } from '../view/graph-view.ts';
import type { PlacedGraph } from './layout.ts';
import { layoutOf } from './layout-client.ts';
import { shapeOf } from './shape.ts';

interface LayoutInput {
  /** Hash of the workflow; undefined until it is loaded. */
  readonly plan: string | undefined;
  readonly views: ReadonlyMap<string, GraphView>;
  /** Key of the graph. */
  readonly of: string;
  /** Keys of the graphs that are open inside their nodes. */
  readonly open: ReadonlySet<string>;
  /** Keeps the layout in this browser; default: true. */
  readonly isKept?: boolean;
}

interface Layout {
  /** Undefined before the first layout; afterwards the last one, until the next is ready. */
  readonly placed: PlacedGraph | undefined;
  readonly error: unknown;
}

/** Computes the layout of a graph in a worker; again when another graph is opened inside it. */
export function useLayout({ plan, views, of, open, isKept = true }: LayoutInput): Layout {
  const [layout, setLayout] = useState<Layout>({ placed: undefined, error: undefined });
  const opened = [...open].sort().join('\n');
  const latest = useRef(views);
  latest.current = views;
  const isKnown = useMemo(() => views.has(of), [views, of]);
  useEffect(() => {
    if (plan === undefined || !isKnown) return;
    let isWanted = true;
    const shapes = [...latest.current.values()].map(({ graph }) => shapeOf(graph));
    const wanted = { plan, shapes, key: of, open: opened === '' ? [] : opened.split('\n') };
    layoutOf(wanted, isKept).then(
      (placed) => isWanted && setLayout({ placed, error: undefined }),
      (error: unknown) => isWanted && setLayout((before) => ({ ...before, error })),
    );
    return () => {
      isWanted = false;
    };
  }, [plan, of, opened, isKnown, isKept]);
  return layout;
}

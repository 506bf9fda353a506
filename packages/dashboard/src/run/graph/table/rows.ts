import type { GraphView } from '../view/graph-view.ts';
import type { NodeView } from '../view/node-view.ts';

/** A row of the table: a node, at its depth in the graphs. */
export interface Row {
  readonly node: NodeView;
  readonly depth: number;
  /** Its graph is unfolded; undefined: there is none inside it. */
  readonly isOpen: boolean | undefined;
  /** Position among its siblings, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
}

/** Returns the rows of a graph, with those of the graphs that are unfolded inside it. */
export function rowsOf(views: ReadonlyMap<string, GraphView>, key: string, open: ReadonlySet<string>): readonly Row[] {
  return inside(views, { key, depth: 0 }, open);
}

function inside(
  views: ReadonlyMap<string, GraphView>,
  { key, depth }: { readonly key: string; readonly depth: number },
  open: ReadonlySet<string>,
): readonly Row[] {
  const nodes = views.get(key)?.nodes ?? [];
  return nodes.flatMap((node, at) => {
    const { graph } = node;
    const isOpen = graph === undefined ? undefined : open.has(graph);
    const row: Row = { node, depth, isOpen, position: at + 1, siblings: nodes.length };
    return graph === undefined || isOpen === false
      ? [row]
      : [row, ...inside(views, { key: graph, depth: depth + 1 }, open)];
  });
}

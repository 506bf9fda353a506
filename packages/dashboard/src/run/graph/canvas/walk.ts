import type { Box } from '../layout/geometry.ts';

/** Nodes and edges of a picture, by the keys of the nodes. */
export interface Walkable {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly edges: readonly { readonly edge: { readonly source: string; readonly target: string } }[];
}

/** Returns the node that an arrow key leads to: → a successor, ← a predecessor, ↑ ↓ a sibling in the same row. */
export function walk({ boxes, edges }: Walkable, from: string, key: string): string | undefined {
  if (key === 'ArrowRight')
    return nearest(
      boxes,
      from,
      edges.flatMap(({ edge: { source, target } }) => (source === from ? [target] : [])),
    );
  if (key === 'ArrowLeft')
    return nearest(
      boxes,
      from,
      edges.flatMap(({ edge: { source, target } }) => (target === from ? [source] : [])),
    );
  const own = boxes.get(from);
  if (own === undefined) return undefined;
  const step = key === 'ArrowDown' ? 1 : -1;
  const row = [...boxes].filter(([, box]) => box.y < own.y + own.height && own.y < box.y + box.height);
  row.sort(([, one], [, other]) => one.x - other.x);
  return row[row.findIndex(([place]) => place === from) + step]?.[0];
}

/** Returns the one of some nodes that is drawn nearest to another one, that one itself excluded. */
function nearest(boxes: Walkable['boxes'], from: string, places: readonly string[]): string | undefined {
  const own = boxes.get(from);
  if (own === undefined) return undefined;
  const distance = (place: string): number => {
    const box = boxes.get(place);
    return box === undefined ? Number.POSITIVE_INFINITY : Math.hypot(box.x - own.x, box.y - own.y);
  };
  return places.filter((place) => place !== from).sort((one, other) => distance(one) - distance(other))[0];
}

import type { Box, Point } from '../layout/geometry.ts';

/** Returns the path through points with round corners: a curve from the middle of each part to that of the next. */
export function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return '';
  const curves = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? last;
    const end = at === rest.length - 2 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x},${point.y} ${end.x},${end.y}`;
  });
  return `M${first.x},${first.y}${curves.length === 0 ? `L${last.x},${last.y}` : curves.join('')}`;
}

/** Returns the path from a node back to itself, at its right side, and the place of its label. */
export function selfLoop({ x, y, width, height }: Box): { readonly path: string; readonly label: Point } {
  const right = x + width;
  const [from, to] = [y + height * 0.72, y + height * 0.28];
  const out = right + 34;
  return {
    path: `M${right},${from}C${out},${from} ${out},${to} ${right},${to}`,
    label: { x: out - 4, y: (from + to) / 2 },
  };
}

/** Returns the path between two nodes for which the layout has no points. */
export function directEdge(from: Box, to: Box): { readonly path: string; readonly label: Point } {
  const start = { x: from.x + from.width / 2, y: from.y + from.height };
  const end = { x: to.x + to.width / 2, y: to.y };
  const bend = Math.max(30, Math.abs(end.y - start.y) / 2);
  return {
    path: `M${start.x},${start.y}C${start.x},${start.y + bend} ${end.x},${end.y - bend} ${end.x},${end.y}`,
    label: { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 },
  };
}

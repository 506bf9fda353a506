import type { EdgeProps } from '@xyflow/react';
import { BaseEdge, getBezierPath } from '@xyflow/react';
import { memo } from 'react';
import type { Point } from './layout.ts';

/** One edge along the course that the layout has found for it. */
export const GraphEdge = memo(function GraphEdge(edge: EdgeProps) {
  const { id, label, markerEnd, data } = edge;
  const { points } = data as unknown as { readonly points: readonly Point[] }; // as the canvas makes it
  const middle = points[Math.floor(points.length / 2)];
  const [straight, x, y] = getBezierPath(edge);
  const path = points.length < 2 ? straight : courseOf(points);
  return (
    <BaseEdge
      id={id}
      path={path}
      label={label}
      labelX={middle?.x ?? x}
      labelY={middle?.y ?? y}
      labelBgPadding={[4, 2]}
      {...(markerEnd === undefined ? {} : { markerEnd })}
    />
  );
});

/** Returns the path through points with round corners: a curve from the middle of each part to that of the next. */
export function courseOf(points: readonly Point[]): string {
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

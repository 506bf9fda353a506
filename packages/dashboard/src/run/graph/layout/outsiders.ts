import type { Box, Point } from './geometry.ts';
import { doMeet, frameAround } from './geometry.ts';

interface Placed {
  readonly nodes: readonly Box[];
  readonly edges: readonly (readonly Point[])[];
}

interface Loops {
  readonly edges: readonly { readonly from: number; readonly to: number }[];
  readonly loops: readonly (readonly number[])[];
}

/** Room between the frame of a loop and a node beside it, in pixels. */
const gap = 36;

/**
 * Moves nodes that do not belong to a loop, but would be in its frame, to the side of it, with all nodes beyond them.
 * Their edges lose their points.
 */
export function moveOutsiders({ nodes: placed, edges }: Placed, { loops, edges: ends }: Loops): Placed {
  const nodes = [...placed];
  const moved = new Set<number>();
  for (const members of loops) {
    const inside = new Set(members);
    const frame = frameAround(members.flatMap((member) => nodes[member] ?? []));
    const strangers = nodes.flatMap((box, at) => (!inside.has(at) && doMeet(box, frame) ? [at] : []));
    if (strangers.length === 0) continue;
    const leftmost = Math.min(...strangers.map((at) => nodes[at]?.x ?? 0));
    const by = frame.x + frame.width + gap - leftmost;
    for (const [at, box] of nodes.entries()) {
      const isBeyond = box.x >= leftmost && box.y < frame.y + frame.height && frame.y < box.y + box.height;
      if (inside.has(at) || !(strangers.includes(at) || isBeyond)) continue;
      nodes[at] = { ...box, x: box.x + by };
      moved.add(at);
    }
  }
  if (moved.size === 0) return { nodes: placed, edges };
  return {
    nodes,
    edges: edges.map((points, at) => {
      const { from, to } = ends[at] ?? { from: -1, to: -1 };
      return moved.has(from) || moved.has(to) ? [] : points;
    }),
  };
}

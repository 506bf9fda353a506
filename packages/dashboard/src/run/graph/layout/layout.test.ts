import { describe, expect, it } from 'vitest';
import { aboveHeads, frameAround, overlap } from './geometry.ts';
import type { PlacedGraph, Shape } from './layout.ts';
import { layout } from './layout.ts';

const size = { width: 224, height: 58 };
const nodes = (count: number) => Array.from({ length: count }, () => size);

const place = (shape: Partial<Shape> & Pick<Shape, 'nodes' | 'edges'>): PlacedGraph =>
  layout(new Map([['', { key: '', loops: [], ...shape }]]), '', new Set());

describe('the layout of a graph', () => {
  it('places nodes without overlaps, each below its predecessors', () => {
    const edges = [
      { from: 0, to: 1 },
      { from: 0, to: 2 },
      { from: 1, to: 3 },
      { from: 2, to: 3 },
    ];
    const { nodes: placed } = place({ nodes: nodes(4), edges });

    for (const [at, one] of placed.entries())
      for (const other of placed.slice(at + 1)) expect(overlap(one, other)).toBe(false);
    for (const { from, to } of edges) expect(placed[to]?.y).toBeGreaterThan(placed[from]?.y ?? Number.NaN);
  });

  it('keeps nodes that do not belong to a loop out of its frame', () => {
    const { nodes: placed } = place({
      nodes: nodes(6),
      edges: [
        { from: 0, to: 1 },
        { from: 0, to: 2 },
        { from: 1, to: 3 },
        { from: 2, to: 4 },
        { from: 3, to: 5 },
        { from: 4, to: 5 },
        { from: 5, to: 0 },
      ],
      loops: [[0, 1, 3, 5]],
    });
    const frame = frameAround([0, 1, 3, 5].flatMap((at) => placed[at] ?? []));

    for (const outsider of [2, 4]) expect(overlap(placed[outsider] ?? frame, frame)).toBe(false);
  });

  it('gives a node the size of the graph that is unfolded in it', () => {
    const shapes = new Map<string, Shape>([
      ['', { key: '', nodes: [{ ...size, inner: 'sub' }], edges: [], loops: [] }],
      ['sub', { key: 'sub', nodes: nodes(3), edges: [{ from: 0, to: 1 }], loops: [] }],
    ]);

    const closed = layout(shapes, '', new Set()).nodes[0];
    const open = layout(shapes, '', new Set(['sub'])).nodes[0];

    expect(closed).toMatchObject(size);
    expect(open?.height).toBeGreaterThan(open?.inner?.height ?? Number.NaN);
    expect(open?.width).toBeGreaterThan(open?.inner?.width ?? Number.NaN);
  });

  it('omits an edge from a node to itself, which is drawn beside it', () => {
    expect(place({ nodes: nodes(1), edges: [{ from: 0, to: 0 }] }).edges).toEqual([[]]);
  });
});

describe('the label of an edge', () => {
  const frame = frameAround([{ x: 100, y: 100, ...size }]);

  it('lies above a frame whose label and buttons it would cover', () => {
    expect(aboveHeads({ x: 212, y: frame.y + 8 }, [frame])).toEqual({ x: 212, y: frame.y - 10 });
  });

  it.each([
    ['inside a frame', { x: 212, y: 170 }],
    ['beside a frame', { x: 20, y: frame.y + 8 }],
  ])('stays where it is %s', (_name, label) => {
    expect(aboveHeads(label, [frame])).toEqual(label);
  });
});

import { describe, expect, it } from 'vitest';
import { labelOf } from '../flow/edge-label.ts';
import { walk } from './canvas-keys.ts';
import { detailAt } from './level-of-detail.ts';

const box = (x: number, y: number) => ({ x, y, width: 100, height: 50 });
const graph = {
  boxes: new Map([
    ['top', box(100, 0)],
    ['left', box(0, 100)],
    ['right', box(200, 100)],
  ]),
  edges: [
    { edge: { source: 'top', target: 'left' } },
    { edge: { source: 'top', target: 'right' } },
    { edge: { source: 'right', target: 'top' } },
  ],
};

describe('arrow keys in a graph', () => {
  it.each([
    ['top', 'ArrowRight', 'left'],
    ['left', 'ArrowLeft', 'top'],
    ['left', 'ArrowDown', 'right'],
    ['right', 'ArrowUp', 'left'],
    ['right', 'ArrowRight', 'top'],
    ['left', 'ArrowRight', undefined],
    ['right', 'ArrowDown', undefined],
  ])('move from %s by %s to %s', (from, key, to) => {
    expect(walk(graph, from, key)).toBe(to);
  });
});

describe('the label of an edge', () => {
  const edge = { from: 'a', to: 'b', passed: 0, conditional: true, onError: false } as Parameters<typeof labelOf>[0];

  it('contains its condition, how often it passed, and a dash where it was not satisfied last', () => {
    expect(labelOf({ ...edge, condition: 'contains "ACCEPT"', passed: 2 })).toBe('contains "ACCEPT" · 2×');
    expect(labelOf({ ...edge, condition: 'contains "ACCEPT"', missed: true })).toBe('– contains "ACCEPT"');
    expect(labelOf({ ...edge, conditional: false, missed: true })).toBe('');
    expect(labelOf({ ...edge, condition: 'x'.repeat(100) })).toHaveLength(26);
  });
});

describe('the level of detail', () => {
  it.each([
    [1, 'full'],
    [0.6, 'full'],
    [0.59, 'names'],
    [0.29, 'blocks'],
  ] as const)('at zoom %d is %s', (zoom, detail) => {
    expect(detailAt(zoom)).toBe(detail);
  });
});

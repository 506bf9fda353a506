import { describe, expect, it } from 'vitest';
import type { TimelineRow } from '../../activations/timeline-row.ts';
import type { TimelineLine } from './timeline-lines.ts';
import { factsOf, linesOf } from './timeline-lines.ts';

const row = (number: number, facts: Partial<TimelineRow> = {}): TimelineRow => ({
  id: `a${number}`,
  node: 'Work',
  graph: '',
  state: 'completed',
  readyAt: number,
  settledAt: number + 10,
  ...facts,
});
const none: ReadonlySet<string> = new Set();
const shown = (lines: readonly TimelineLine[]) =>
  lines.map((line) => (line.type === 'row' ? line.row.id : `${line.title} ${line.rows.length}`));
const units = Array.from({ length: 3_000 }, (_, unit) => row(unit + 2, { unit }));

describe('the lines of a timeline by order', () => {
  it('are the activations', () => {
    expect(shown(linesOf([row(1), row(2)], { by: 'order', toggled: none }))).toEqual(['a1', 'a2']);
  });

  it('have the units of a fan-out on one line, and unfold them when it is opened', () => {
    const rows = [row(1), ...units];

    const folded = linesOf(rows, { by: 'order', toggled: none });

    expect(shown(folded)).toEqual(['a1', 'Work 3000']);
    const [, group] = folded;
    const opened = linesOf(rows, { by: 'order', toggled: new Set([group?.type === 'group' ? group.key : '']) });
    expect(opened).toHaveLength(3_002);
  });

  it('keep the units of two fan-outs of one node apart', () => {
    const rows = [row(1, { unit: 0 }), row(2, { unit: 1 }), row(3), row(4, { unit: 0 }), row(5, { unit: 1 })];
    const folded = linesOf(rows, { by: 'order', toggled: new Set(['units a1', 'units a4']) });

    expect(shown(folded)).toEqual(['Work 2', 'a3', 'Work 2']);
  });

  it('have a group for each iteration of a loop', () => {
    const rows = [row(1), row(2, { iteration: 1 }), row(3, { iteration: 1 }), row(4, { iteration: 2 }), row(5)];

    expect(shown(linesOf(rows, { by: 'order', toggled: none }))).toEqual([
      'a1',
      'Iteration 1 2',
      'a2',
      'a3',
      'Iteration 2 1',
      'a4',
      'a5',
    ]);
  });
});

describe('the lines of a timeline', () => {
  it('are the nodes when they are arranged by node', () => {
    const rows = [row(1), row(2, { node: 'Check', graph: 'Team' }), row(3)];

    expect(shown(linesOf(rows, { by: 'node', toggled: none }))).toEqual(['Work 2', 'Team/Check 1']);
  });

  it('are the iterations, and the rest, when they are arranged by iteration', () => {
    const rows = [row(1), row(2, { iteration: 1 }), row(3), row(4, { iteration: 1 })];

    expect(shown(linesOf(rows, { by: 'iteration', toggled: new Set(['iteration none', 'iteration a2']) }))).toEqual([
      'Outside of loops 2',
      'Iteration 1 2',
    ]);
  });
});

describe('the facts of a group', () => {
  it('are its numbers by state, its percentiles and its cost', () => {
    const rows = [
      ...Array.from({ length: 98 }, (_, at) => row(at + 1, { microUsd: 2, settledAt: at + 1 + 4 })),
      row(99, { state: 'failed', settledAt: 99 + 50 }),
      row(100, { state: 'working', settledAt: undefined }),
    ];

    expect(factsOf(rows, 1_000)).toMatchObject({
      total: 100,
      completed: 98,
      failed: 1,
      live: 1,
      p50: 4,
      p95: 4,
      microUsd: 196,
    });
  });
});

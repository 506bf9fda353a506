import { describe, expect, it } from 'vitest';
import { createModelLookup } from '../model/profiles/model-lookup.ts';
import { plainEdge } from '../workflow/document/workflow.ts';
import { compile } from './compile.ts';
import type { GraphPlan } from './plan.ts';
import { sweepOf } from './sweep.ts';

const vocabulary = {
  nodes: new Map(),
  conditions: new Map(),
  processors: new Map(),
  splitters: new Map(),
  providers: new Map(),
  memories: new Map(),
  tools: new Map(),
  terminations: new Map(),
  models: () => createModelLookup([]),
};

/** A graph of links such as `A>B`, or `A-B` for one that carries data only. */
function graphOf(...links: string[]): GraphPlan {
  const pairs = links.map((link) => ({ trigger: link.includes('>'), ends: link.split(/[>-]/) }));
  const ids = [...new Set(pairs.flatMap(({ ends }) => ends))].sort();
  const nodes = ids.map((id) => ({
    id,
    type: 'literal',
    contextWindow: 0,
    logOutput: true,
    config: {},
    input: [],
    output: [],
  }));
  const edges = pairs.map(({ trigger, ends: [from = '', to = ''] }) => ({
    from,
    to,
    ...plainEdge,
    trigger,
  }));
  const plan = compile(
    {
      version: '0',
      graph: { id: 'g', logLevel: 'INFO', voting: false, start: [ids[0] ?? ''], end: [], nodes, edges, memory: [] },
    },
    vocabulary,
  );
  const root = plan.graphs.get('');
  if (root === undefined) throw new Error('a plan has a root graph');
  return root;
}

/** The levels of a sweep as words: members of a level joined by a comma, inner cycles in brackets. */
function levels(graph: GraphPlan, entry: string, roots: string[]): string[] {
  const indexOf = (id: string) => graph.nodes.findIndex((node) => node.id === id);
  const members = graph.nodes.map((node) => node.index);
  return sweepOf(graph, members, indexOf(entry))
    .levels(roots.map(indexOf))
    .map((level) =>
      level
        .map(({ nodes, inner }) => {
          const names = nodes.map((node) => graph.nodes[node]?.id).join('');
          return inner ? `[${names}]` : names;
        })
        .join(','),
    );
}

describe('sweepOf', () => {
  it('orders members from the entry, level by level', () => {
    expect(levels(graphOf('A>B', 'A>C', 'B>D', 'C>D', 'D>A'), 'A', ['A'])).toEqual(['A', 'B,C', 'D']);
  });

  it('does not delay a root for its predecessors', () => {
    expect(levels(graphOf('A>B', 'B>C', 'C>A'), 'A', ['A', 'C'])).toEqual(['A,C', 'B']);
  });

  it('ignores edges without a trigger', () => {
    expect(levels(graphOf('A>B', 'A>C', 'B-C', 'C>A', 'B>A'), 'A', ['A'])).toEqual(['A', 'B,C']);
  });

  it('folds a cycle without the entry into one member', () => {
    expect(levels(graphOf('A>B', 'B>C', 'C>B', 'C>A'), 'A', ['A'])).toEqual(['A', '[BC]']);
  });

  it('treats a node with an edge to itself as an inner cycle, unless it is the entry', () => {
    const graph = graphOf('A>A', 'A>B', 'B>B', 'B>A');

    expect(levels(graph, 'A', ['A'])).toEqual(['A', '[B]']);
  });
});

describe('items', () => {
  it('are ordered by level, then by declaration, with each cycle as one', () => {
    const graph = graphOf('A>D', 'B>C', 'C>B', 'B>E', 'D>E');

    const names = graph.items.map(({ members }) => members.map((node) => graph.nodes[node]?.id).join(''));

    expect(names).toEqual(['A', 'BC', 'D', 'E']);
    expect(graph.items.map(({ cycle }) => cycle)).toEqual([false, true, false, false]);
    expect(graph.items.map(({ predecessors }) => predecessors)).toEqual([0, 0, 1, 2]);
  });
});

import { describe, expect, it } from 'vitest';
import { readText } from '../../../test-support/workflow-vocabulary.ts';

interface GraphSketch {
  readonly start?: string;
  readonly end?: string;
  readonly more?: string;
}

/** Draws a graph: `A>B` is an edge, `A-B` one that does not trigger; `C…` is a counter, `H…` a person. */
function check(edges: string, { start, end, more = '' }: GraphSketch = {}) {
  const pairs = edges.split(' ').map((edge) => /^(\w+)([->])(\w+)$/.exec(edge)?.slice(1) ?? [edge]);
  const ids = [...new Set(pairs.flatMap(([from, , to]) => [from, to].filter((id) => id !== undefined)))];
  const typeOf = (id: string) => (id.startsWith('C') ? 'loop_counter' : id.startsWith('H') ? 'human' : 'passthrough');
  const written = pairs.flatMap(([from, kind, to]) =>
    to ? [`{from: ${from}, to: ${to}, trigger: ${kind === '>'}}`] : [],
  );
  const text = `graph:
  id: drawn
  ${more}
  ${start ? `start: ${start}` : ''}
  ${end ? `end: ${end}` : ''}
  nodes: [${ids.map((id) => `{id: ${id}, type: ${typeOf(id)}, config: {}}`).join(', ')}]
  edges: [${written.join(', ')}]
`;
  const { workflow, issues } = readText(text);
  return { graph: workflow?.graph, codes: issues.map(({ code }) => code), issues };
}

describe('start and end', () => {
  it('default to the only source and the only sink', () => {
    expect(check('A>B B>D A>D').graph).toMatchObject({ start: ['A'], end: ['D'] });
    expect(check('A').graph).toMatchObject({ start: ['A'], end: ['A'] });
  });

  it('are required where the edges are ambiguous', () => {
    const { codes, issues } = check('A>D B>D D>E D>F');
    expect(codes).toEqual(['E_START_AMBIGUOUS', 'E_END_AMBIGUOUS']);
    expect(issues[0]?.message).toContain('"A", "B"');
    expect(check('A>B B>A').codes).toEqual(expect.arrayContaining(['E_START_AMBIGUOUS', 'E_END_AMBIGUOUS']));
  });

  it('are kept as declared, each start once', () => {
    expect(check('A>D B>D', { start: '[B, A, B]', end: '[]' }).graph).toMatchObject({ start: ['B', 'A'], end: [] });
    expect(check('A>B', { start: 'A', end: 'A' }).graph).toMatchObject({ start: ['A'], end: ['A'] });
  });

  it('must name nodes that exist', () => {
    expect(check('A>B', { start: '[Z]', end: '[A, Y]' }).codes).toEqual(['E_START_UNKNOWN', 'E_END_UNKNOWN']);
  });

  it('are not required where nodes vote, and edges have no effect there', () => {
    expect(check('A B', { more: 'is_majority_voting: true' })).toMatchObject({
      codes: [],
      graph: { start: [], end: [] },
    });
    expect(check('A>B', { more: 'is_majority_voting: true' }).codes).toEqual(['W_VOTING_EDGES']);
  });

  it('cannot be two in one loop', () => {
    expect(check('A>B B>A B>D', { start: '[A, B]' }).codes).toContain('E_CYCLE_TWO_STARTS');
  });
});

describe('nodes that never run', () => {
  it('are those without an incoming trigger', () => {
    expect(check('A>B A-D D>E', { end: '[B]' }).codes).toEqual(['W_NODE_UNREACHABLE', 'W_NODE_UNREACHABLE']);
  });

  it('are those without edges', () => {
    expect(check('A>B D', { start: 'A', end: 'B' }).codes).toEqual(['W_NODE_ORPHAN']);
  });
});

describe('loops', () => {
  it('are accepted with a guard that leads back and out', () => {
    expect(check('A>B B>A B>C C>A C>D', { start: 'A' }).codes).toEqual([]);
  });

  it('are accepted with a person in them', () => {
    expect(check('A>H H>A H>D', { start: 'A' }).codes).toEqual([]);
  });

  it('are reported without a certain end', () => {
    const { codes, issues } = check('A>B B>A B>D', { start: 'A' });
    expect(codes).toEqual(['W_LOOP_UNGUARDED']);
    expect(issues[0]?.message).toContain('after 100 rounds');
    expect(check('A>B B>A B>D', { start: 'A', more: 'max_iterations: unlimited' }).codes).toEqual([]);
    expect(check('A>B B>A B>D', { start: 'A', more: 'max_iterations: 7' }).issues[0]?.message).toContain(
      'after 7 rounds',
    );
  });

  it('are reported without a way out, unless they give the result', () => {
    expect(check('A>B B>B', { end: '[A]' }).codes).toEqual(['W_LOOP_WITHOUT_EXIT', 'W_LOOP_UNGUARDED']);
    expect(check('A>B B>B', { end: '[B]' }).codes).toEqual(['W_LOOP_UNGUARDED']);
  });

  it('require their guard inside', () => {
    expect(check('A>B B>A B>C C>D', { start: 'A' }).codes).toContain('W_GUARD_OUTSIDE_LOOP');
  });

  it('require an edge out of their guard', () => {
    expect(check('A>B B>A B>C C>A B>D', { start: 'A' }).codes).toContain('W_GUARD_WITHOUT_EXIT');
  });

  it('require another node than the guard that continues them', () => {
    expect(check('A>C C>A C>D', { start: 'A' }).codes).toEqual(['W_GUARD_ALONE']);
  });
});

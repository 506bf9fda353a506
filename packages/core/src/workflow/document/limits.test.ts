import { describe, expect, it } from 'vitest';
import { readText, smallVocabulary } from '../../../test-support/workflow-vocabulary.ts';
import { tooDeepAt } from './document.ts';

const nodes = (count: number, of = 'passthrough') =>
  Array.from({ length: count }, (_, at) => `{ id: N${at}, type: ${of}, config: {} }`).join(', ');
const codes = (text: string, options = {}) => readText(text, options).issues.map(({ code }) => code);

describe('a workflow', () => {
  it('with more nodes or edges than it may have is refused with that error alone, subgraphs included', () => {
    const vocabulary = { ...smallVocabulary, limits: { nodes: 3, edges: 1 } };
    const three = `graph: { id: g, start: [N0], nodes: [${nodes(3)}], edges: [{ from: N0, to: N1 }] }`;
    expect(codes(three, { vocabulary })).not.toContain('E_NODES_LIMIT');
    const four = `graph: { id: g, start: [N0], nodes: [${nodes(4)}], edges: [{ from: N0, to: N1 }], scopes: [{ id: s, nodes: [N1] }] }`;
    expect(codes(four, { vocabulary })).toEqual(['E_NODES_LIMIT']);
    const two = `graph: { id: g, nodes: [${nodes(2)}], edges: [{ from: N0, to: N1 }, { from: N1, to: N0 }] }`;
    expect(codes(two, { vocabulary })).toEqual(['E_EDGES_LIMIT']);
    const inner = `{ id: S, type: subgraph, config: { type: config, config: { id: i, nodes: [${nodes(2)}], edges: [] } } }`;
    const found = codes(`graph: { id: g, nodes: [${inner}, ${inner.replace('id: S', 'id: T')}] }`, { vocabulary });
    expect(found).toEqual(['E_NODES_LIMIT']);
  });

  it('with too many errors shows a hundred of them and says so', () => {
    const found = codes(`graph: { id: g, nodes: [${nodes(150, 'nothing')}] }`);
    expect(found.filter((code) => code === 'E_NODE_TYPE_UNKNOWN')).toHaveLength(100);
    expect(found).toHaveLength(101);
    expect(found).toContain('E_ERRORS_LIMIT');
  });

  it('with too many warnings shows a hundred of them, says so, and is used', () => {
    const keys = Array.from({ length: 2000 }, (_, at) => `k${at}: x`).join('\n');
    const { workflow, issues } = readText(`${keys}\ngraph: { id: g, nodes: [${nodes(1)}], edges: [] }`);
    expect(workflow).toBeDefined();
    expect(issues).toHaveLength(101);
    expect(issues.filter(({ code }) => code === 'W_WARNINGS_LIMIT')).toMatchObject([{ severity: 'warning' }]);
  });
});

describe('the depth of a document', () => {
  it.each([
    ['brackets that are never closed', '['.repeat(100_000)],
    ['brackets that are closed', `${'['.repeat(101)}${']'.repeat(101)}`],
    ['mappings in braces', `${'{a: '.repeat(101)}${'}'.repeat(101)}`],
    ['lists on one line', `${'- '.repeat(101)}x`],
    ['complex keys', '? '.repeat(101)],
    ['indented mappings', Array.from({ length: 101 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ])('is limited: %s', (_name, text) => {
    expect(tooDeepAt(text, 100)).toBeDefined();
    expect(codes(text)).toEqual(['E_DEPTH_LIMIT']);
  });

  it.each([
    ['brackets', `${'['.repeat(99)}${']'.repeat(99)}`],
    ['brackets in a block of text', `a: |\n  ${'['.repeat(500)}\n  ${'{'.repeat(500)}\n`],
    ['brackets in quotes', `a: "${'['.repeat(500)}"\nb: '${'{'.repeat(500)}'`],
    ['brackets in plain text', `a: x${'['.repeat(500)}`],
    ['brackets in comments', `# ${'['.repeat(500)}\na: b`],
    ['many lists beside each other', Array.from({ length: 500 }, () => '- [a, {b: c}]').join('\n')],
    ['dashes in texts', `a: b${' - c'.repeat(500)}`],
    ['JSON on many lines', JSON.stringify(JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`), null, 2)],
  ])('does not count %s', (_name, text) => {
    expect(tooDeepAt(text, 100)).toBeUndefined();
  });

  it('is reported with its position', () => {
    const [issue] = readText(`a: b\nc: ${'['.repeat(200)}`).issues;
    expect(issue).toMatchObject({ line: 2, column: 103 });
  });
});

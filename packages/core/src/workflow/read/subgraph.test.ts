import { describe, expect, it } from 'vitest';
import { errorsOf, places, readText } from '../../../test-support/workflow-vocabulary.ts';

const parent = (config: string, vars = '{}') =>
  `vars: ${vars}\ngraph:\n  id: top\n  log_level: INFO\n  nodes:\n    - id: Sub\n      type: subgraph\n      config: ${config}\n`;

const inner = 'nodes: [{id: In, type: literal, config: {content: "${A} ${B} ${C}"}}]';

/** A folder of files by their names. */
const folder = (files: Readonly<Record<string, string>>) => (path: string) =>
  path in files ? { file: path, text: files[path] ?? '' } : undefined;

describe('a subgraph', () => {
  it('is read inline, with the variables and the log level of its parent', () => {
    const text = parent(`{type: config, config: {${inner}}}`, '{A: 1, B: 2, C: 3}');
    const { workflow, issues } = readText(text);
    expect(issues).toEqual([]);
    const node = workflow?.graph.nodes[0];
    expect(node?.config).toEqual({});
    expect(node?.graph).toMatchObject({ logLevel: 'INFO', start: ['In'], nodes: [{ config: { content: '1 2 3' } }] });
  });

  it('is read from a file, whose own variables take precedence', () => {
    const files = { 'sub.yaml': `vars: {B: child, C: "\${A}!"}\ngraph:\n  id: sub\n  ${inner}\n` };
    const text = parent('{type: file, config: {path: sub.yaml}}', '{A: 1, B: 2}');
    const { workflow, issues } = readText(text, { readFile: folder(files) });
    expect(workflow?.graph.nodes[0]?.graph).toMatchObject({
      id: 'sub',
      nodes: [{ config: { content: '1 child 1!' } }],
    });
    expect(places(issues)).toEqual(['W_VARIABLE_UNUSED 1:14 vars.B']);
  });

  it('can be a file that consists of a graph alone', () => {
    const files = { 'bare.yaml': 'nodes: [{id: In, type: passthrough, config: {}}]' };
    const { workflow } = readText(parent('{type: file, config: {path: bare.yaml}}'), { readFile: folder(files) });
    expect(workflow?.graph.nodes[0]?.graph).toMatchObject({ id: 'bare', nodes: [{ id: 'In' }] });
  });

  it('reports problems of its file at their position in that file, once', () => {
    const files = { 'sub.yaml': 'graph:\n  id: s\n  nodes:\n    - {id: X, type: nope, config: {}}\n' };
    const text = `${parent('{type: file, config: {path: sub.yaml}}')}    - {id: Two, type: subgraph, config: {type: file, config: {path: sub.yaml}}}\n  start: [Sub]\n  end: [Two]\n  edges: [{from: Sub, to: Two}]\n`;
    const { issues } = readText(text, { readFile: folder(files) });
    expect(issues).toMatchObject([
      { code: 'E_NODE_TYPE_UNKNOWN', file: 'sub.yaml', line: 4, column: 21, path: 'graph.nodes[0].type' },
    ]);
  });

  it.each([
    ['{type: url, config: {}}', 'E_FIELD_INVALID graph.nodes[0].config.type'],
    ['{type: file, config: {}}', 'E_FIELD_MISSING graph.nodes[0].config.config.path'],
    ['{type: file, config: {path: no.yaml}}', 'E_SUBGRAPH_NOT_FOUND graph.nodes[0].config.config.path'],
    ['{type: config}', 'E_GRAPH_MISSING graph.nodes[0].config.config'],
    ['{type: config, config: {edges: []}}', 'E_NODES_MISSING graph.nodes[0].config.config.nodes'],
  ])('is refused as %s', (config, place) => {
    expect(errorsOf(readText(parent(config)).issues)).toContain(place);
  });

  it('cannot contain itself, and the error names the circle', () => {
    const files = {
      'a.yaml': parent('{type: file, config: {path: b.yaml}}'),
      'b.yaml': parent('{type: file, config: {path: a.yaml}}'),
    };
    const { issues } = readText(parent('{type: file, config: {path: a.yaml}}'), { readFile: folder(files) });
    expect(issues).toMatchObject([{ code: 'E_SUBGRAPH_RECURSION', file: 'b.yaml', line: 8 }]);
    expect(issues[0]?.message).toContain('a.yaml → b.yaml → a.yaml');
  });

  it('is refused when files include each other exponentially', () => {
    const files: Record<string, string> = { 'f9.yaml': 'nodes: [{id: X, type: passthrough, config: {}}]' };
    for (let level = 0; level < 9; level++) {
      const use = `type: subgraph, config: {type: file, config: {path: f${level + 1}.yaml}}`;
      const nodes = ['A', 'B', 'C', 'D'].map((id) => `{id: ${id}, ${use}}`);
      files[`f${level}.yaml`] = `{nodes: [${nodes.join(', ')}], start: [A], end: [A]}`;
    }
    const { issues } = readText(parent('{type: file, config: {path: f0.yaml}}'), { readFile: folder(files) });
    expect(issues.filter(({ severity }) => severity === 'error')).toMatchObject([{ code: 'E_SUBGRAPH_LIMIT' }]);
  });
});

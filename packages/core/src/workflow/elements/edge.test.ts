import { describe, expect, it } from 'vitest';
import { errorsOf, readText } from '../../../test-support/workflow-vocabulary.ts';

const withEdges = (...edges: readonly string[]) => `graph:
  id: flow
  end: [B]
  nodes: [{id: A, type: passthrough, config: {}}, {id: B, type: passthrough, config: {}}]
  edges:
${edges.map((edge) => `    - {from: A, to: B, ${edge}}\n`).join('')}`;

const read = (edge: string) => readText(withEdges(edge));
const edgeOf = (edge: string) => read(edge).workflow?.graph.edges[0];

describe('an edge', () => {
  it.each([
    ['condition: null', null],
    ['condition: true', null],
    ['condition: "true"', null],
    ['condition: {type: function, config: {name: "true"}}', null],
    ['condition: false', { type: 'function', config: { name: 'always_false' } }],
    ['condition: "false"', { type: 'function', config: { name: 'always_false' } }],
    ['condition: code_pass', { type: 'function', config: { name: 'code_pass' } }],
  ])('reads %s', (edge, condition) => {
    expect(edgeOf(edge)?.condition).toEqual(condition);
  });

  it.each([
    ['condition: ""', 'E_CONDITION_INVALID graph.edges[0].condition'],
    ['condition: {type: keywrd, config: {}}', 'E_CONDITION_TYPE_UNKNOWN graph.edges[0].condition.type'],
    ['condition: {type: keyword}', 'E_FIELD_MISSING graph.edges[0].condition.config'],
    ['process: {type: magic, config: {}}', 'E_PROCESSOR_TYPE_UNKNOWN graph.edges[0].process.type'],
    ['processor: {type: template, config: {}}', 'E_FIELD_MISSING graph.edges[0].processor.config.template'],
    ['dynamic: {type: map, split: {type: zip}}', 'E_SPLIT_TYPE_UNKNOWN graph.edges[0].dynamic.split.type'],
    ['dynamic: {type: fan}', 'E_FIELD_INVALID graph.edges[0].dynamic.type'],
    ['dynamic: {type: tree, config: {group_size: 1}}', 'E_FIELD_INVALID graph.edges[0].dynamic.config.group_size'],
  ])('refuses %s', (edge, place) => {
    expect(errorsOf(read(edge).issues)).toEqual([place]);
  });

  it('accepts processor or process, but not both', () => {
    const use = '{type: template, config: {template: x}}';
    expect(edgeOf(`process: ${use}`)).toEqual(edgeOf(`processor: ${use}`));
    expect(read(`process: ${use}, processor: ${use}`).issues).toMatchObject([{ code: 'E_EDGE_PROCESSOR_TWICE' }]);
  });

  it.each([
    ['{type: map}', { split: { type: 'message', config: {} }, maxParallel: 10, groupSize: 3 }],
    [
      '{type: map, config: {split_type: json_array, item_name: patient}}',
      { split: { type: 'json_array' }, itemName: 'patient' },
    ],
    ['{type: map, config: {split_type: lines, max_parallel: 2}}', { split: { type: 'lines' }, maxParallel: 2 }],
    [
      '{type: tree, config: {split_type: regex, pattern: ";"}}',
      { split: { type: 'delimiter', config: { pattern: ';' } } },
    ],
    ['{type: map, config: {split_type: regex}}', { split: { type: 'delimiter', config: { pattern: '\\n\\s*\\n' } } }],
    ['{type: map, split: {type: regex, config: {pattern: x}}}', { split: { type: 'regex', config: { pattern: 'x' } } }],
  ])('reads the fan-out %s', (dynamic, expected) => {
    expect(edgeOf(`dynamic: ${dynamic}`)?.dynamic).toMatchObject(expected);
  });

  it('reports where settings of a split belong that are beside its type', () => {
    const { issues } = read('dynamic: {type: map, split: {type: regex, pattern: x}}');
    expect(issues).toMatchObject([
      { code: 'E_FIELD_MISSING', path: 'graph.edges[0].dynamic.split.config.pattern' },
      { code: 'E_KEY_UNKNOWN', hint: 'Settings belong under "config".' },
    ]);
  });

  it.each([
    ['{type: map, max_parallel: 2}', 'max_parallel'],
    ['{type: map, config: {max_paralel: 2}}', 'config.max_paralel'],
    ['{type: map, split: {type: delimiter, config: {seperator: x}}}', 'split.config.seperator'],
    ['{type: map, split: {type: lines, sep: x}}', 'split.sep'],
  ])('refuses an unknown setting of a fan-out: %s', (dynamic, key) => {
    const { workflow, issues } = read(`dynamic: ${dynamic}`);
    expect(issues).toMatchObject([{ code: 'E_KEY_UNKNOWN', path: `graph.edges[0].dynamic.${key}` }]);
    expect(workflow).toBeUndefined();
  });

  it('only warns about such a setting where the original engine ignores it', () => {
    const { workflow, issues } = readText(withEdges('dynamic: {type: map, config: {max_paralel: 2}}'), {
      compat: 'chatdev',
    });
    expect(workflow).toBeDefined();
    expect(issues.map(({ code }) => code)).toContain('W_KEY_UNKNOWN');
  });

  it.each([
    ['{type: map, config: {pattern: x}}', 'pattern', 'Add "split_type: delimiter".'],
    ['{type: map, config: {split_type: lines, delimiter: x}}', 'delimiter', 'Add "split_type: delimiter".'],
    ['{type: map, split: {type: lines}, config: {pattern: x}}', 'pattern', 'It belongs under "split.config".'],
  ])('refuses a setting of another split than its own: %s', (dynamic, key, hint) => {
    const { issues } = read(`dynamic: ${dynamic}`);
    expect(issues).toMatchObject([{ code: 'E_FIELD_INVALID', path: `graph.edges[0].dynamic.config.${key}`, hint }]);
  });

  it('drops clear_kept_context without clear_context, with a warning', () => {
    const { workflow, issues } = read('clear_kept_context: true');
    expect(workflow?.graph.edges[0]?.clearKeptContext).toBe(false);
    expect(issues).toMatchObject([{ code: 'W_CLEAR_KEPT_ALONE' }]);
    expect(edgeOf('clear_kept_context: true, clear_context: true')?.clearKeptContext).toBe(true);
  });

  it('is replaced by a later edge between the same nodes', () => {
    const { workflow, issues } = readText(
      `${withEdges('condition: code_pass')}    - {from: B, to: B, condition: false}\n    - {from: A, to: B, keep_message: true}\n`,
    );
    expect(workflow?.graph.edges).toMatchObject([
      { from: 'A', to: 'B', condition: null, keepMessage: true },
      { from: 'B', to: 'B' },
    ]);
    const duplicate = issues.find(({ code }) => code === 'W_EDGE_DUPLICATE');
    expect(duplicate?.message).toContain('lines 6 and 8');
    expect(duplicate?.line).toBe(8);
  });
});

import { expect, it } from 'vitest';
import { readText } from '../../../test-support/workflow-vocabulary.ts';

const problemsOf = (node: string, vars = '{}') =>
  readText(`vars: ${vars}
graph:
  id: g
  nodes:
    - ${node}
`).issues.filter(({ severity }) => severity === 'error');

it.each([
  ['.inf', 'The number is infinite'],
  ['-.inf', 'The number is infinite'],
  ['1.0e+400', 'The number is infinite'],
  ['.nan', 'The value is not a number'],
])('refuses %s where any value may be written, with its position', (number, message) => {
  const node = `{id: A, type: literal, config: {content: x, env: {a: [1, ${number}]}}}`;

  expect(problemsOf(node)).toMatchObject([
    { code: 'E_NUMBER_INVALID', path: 'graph.nodes[0].config.env.a[1]', line: 5, column: 64, message },
  ]);
});

it('has one problem for a field that takes a number', () => {
  expect(problemsOf('{id: A, type: literal, context_window: .inf, config: {content: x}}')).toMatchObject([
    { code: 'E_FIELD_TYPE', path: 'graph.nodes[0].context_window' },
  ]);
});

it('allows the text of one', () => {
  expect(problemsOf('{id: A, type: literal, config: {content: "at most ${V}"}}', '{V: .inf}')).toEqual([]);
});

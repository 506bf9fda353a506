import { expect, it } from 'vitest';
import { readText } from '../../../test-support/workflow-vocabulary.ts';

const problems = (text: string, variables?: Record<string, unknown>) =>
  readText(text, variables === undefined ? {} : { variables }).issues.filter(
    ({ code }) => code === 'E_CONTROL_CHARACTER',
  );

const workflow = (node: string, vars = '{}') => `vars: ${vars}
graph:
  id: g
  nodes:
    - ${node}
`;

it.each([
  ['a text', '{id: A, type: literal, config: {content: "x\\0y"}}', 'graph.nodes[0].config.content', 5, 48],
  [
    'a value of a mapping',
    '{id: A, type: literal, config: {env: {A: "x\\0--bind"}}}',
    'graph.nodes[0].config.env.A',
    5,
    48,
  ],
  ['an entry of a list', '{id: A, type: literal, config: {args: [a, "\\0"]}}', 'graph.nodes[0].config.args[1]', 5, 49],
  ['an id', '{id: "A\\0B", type: literal}', 'graph.nodes[0].id', 5, 12],
])('refuses a NUL character in %s, with its position', (_what, node, ...[path, line, column]) => {
  expect(problems(workflow(node))).toMatchObject([{ path, line, column, severity: 'error' }]);
});

it('refuses control characters in keys', () => {
  expect(problems(workflow('{id: A, type: literal, config: {env: {"A\\tB": x}}}'))).toMatchObject([
    { path: 'graph.nodes[0].config.env["A\\tB"]', message: 'The key contains the control character U+0009' },
  ]);
});

it('allows tabs, line breaks and separators in texts', () => {
  expect(problems(workflow('{id: A, type: literal, config: {content: "a\\tb\\nc\\x1e"}}'))).toEqual([]);
});

it('refuses a NUL character that comes from a variable', () => {
  const node = '{id: A, type: literal, config: {content: "x${V}", env: "${LIST}"}}';

  expect(problems(workflow(node, '{V: "\\0", LIST: [a, {b: "\\0"}]}')).map(({ path }) => path)).toEqual([
    'graph.nodes[0].config.content',
    'graph.nodes[0].config.env[1].b',
  ]);
  expect(problems(workflow(node), { V: '\0', LIST: [] })).toHaveLength(1);
});

const half = (what: string, code: string) =>
  `The ${what} contains one half of a character, U+${code}, without the other`;

it.each([
  ['a text', '{id: A, type: literal, config: {content: "x\\ud83dy"}}', 'config.content', half('text', 'D83D')],
  ['an id', '{id: "A\\udc00", type: literal}', 'id', half('text', 'DC00')],
  ['a key', '{id: A, type: literal, config: {env: {"\\ud800": x}}}', 'config.env["\\ud800"]', half('key', 'D800')],
])('refuses half of a character in %s: it would be stored as another one', (_where, node, path, message) => {
  expect(problems(workflow(node))).toMatchObject([{ path: `graph.nodes[0].${path}`, message }]);
});

it('allows characters of two halves', () => {
  expect(problems(workflow('{id: "\\ud83d\\ude00", type: literal, config: {content: "\\U0001f600"}}'))).toEqual([]);
});

import { readWorkflow, workflowJsonSchema } from '@millrace/core';
import { expect, it } from 'vitest';
import { createVocabulary } from './index.ts';

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every place where a schema accepts texts, with the schemas of its alternatives. */
function* textsOf(schema: Schema, place: string): Generator<readonly [place: string, part: Schema]> {
  if ([schema['type']].flat().includes('string')) yield [place, schema];
  const named = [...Object.entries(schema['properties'] ?? {}), ...Object.entries(schema['$defs'] ?? {})];
  const entries = [
    ['[]', schema['items']],
    ['*', schema['additionalProperties']],
  ] as const;
  for (const [name, part] of [...named, ...entries]) if (isSchema(part)) yield* textsOf(part, `${place}.${name}`);
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => schema[name] ?? []);
  for (const branch of [...branches, schema['then']]) if (isSchema(branch)) yield* textsOf(branch, place);
}

const isOpen = ({ const: one, enum: some, pattern, allOf }: Schema): boolean =>
  one === undefined && some === undefined && pattern === undefined && allOf === undefined;

/** The name of the field at a place, whose value may be a list or a mapping of texts. */
const fieldAt = (place: string): string | undefined =>
  place
    .split('.')
    .filter((part) => part !== '[]' && part !== '*')
    .at(-1);

/** Fields that are texts of several lines, patterns, templates and separators, or that are looked up and nothing else. */
const texts = [
  ...['content', 'description', 'goal', 'initial_instruction', 'logs', 'message', 'messages', 'plan', 'reason', 'role'],
  ...['first_prompt', 'next_prompt', 'reflection_prompt', 'initial', 'value', 'default_value', 'wait_for_log'],
  ...['branch', 'input', 'output', 'result', 'summary', 'template', 'text', 'title'],
  ...['delimiter', 'json_path', 'matches', 'pattern', 'regex', 'all', 'any', 'none', 'filter'],
  ...['condition', 'except', 'flow', 'group', 'in', 'input_mode', 'tool_sources', 'topology', 'until'],
  // The reader of bosses checks these two.
  ...['memory_files', 'name'],
];

it('refuses control characters in every field that is not a text', () => {
  const all = [...textsOf(workflowJsonSchema(createVocabulary()), '')];
  const open = all.filter(([, part]) => isOpen(part)).map(([place]) => place);

  expect(all.length).toBeGreaterThan(300);
  expect(open.filter((place) => place.endsWith('.name'))).toEqual(['.boss.name']);
  expect([...new Set(open.map(fieldAt))].sort()).toEqual(texts.sort());
});

const problemsOf = (graph: Record<string, unknown>, variables?: Record<string, unknown>) =>
  readWorkflow(
    { file: 'flow.yaml', text: JSON.stringify({ graph: { id: 'g', edges: [], ...graph } }) },
    { vocabulary: createVocabulary(), mode: 'check', ...(variables === undefined ? {} : { variables }) },
  ).issues.filter(({ severity }) => severity === 'error');

const node = (type: string, config: Record<string, unknown>) => ({ nodes: [{ id: 'A', type, config }] });
const agent = (more: Record<string, unknown>) => node('agent', { provider: 'openai', name: 'm', ...more });
const local = (config: Record<string, unknown>) => agent({ tooling: [{ type: 'mcp_local', config }] });
const remote = (config: Record<string, unknown>) => agent({ tooling: [{ type: 'mcp_remote', config }] });

it.each<[string, Record<string, unknown>]>([
  ['graph.id', { id: 'g\u0007', nodes: [{ id: 'A', type: 'passthrough', config: {} }] }],
  ['graph.organization', { organization: 'a\nb', ...node('passthrough', {}) }],
  ['graph.nodes[0].id', { nodes: [{ id: 'A\u001b[2J', type: 'passthrough', config: {} }] }],
  ['graph.nodes[0].config.interpreter', node('python', { interpreter: 'python3\n' })],
  ['graph.nodes[0].config.args[0]', node('python', { args: ['-c\u0007'] })],
  ['graph.nodes[0].config.env.A', node('python', { env: { A: 'x\u0000--bind\u0000/' } })],
  ['graph.nodes[0].config.env.A', node('python', { env: { A: 'x\u001b' } })],
  ['graph.nodes[0].config.tooling[0].config.command', local({ command: 'a\nb' })],
  ['graph.nodes[0].config.tooling[0].config.cwd', local({ command: 'a', cwd: '/\t' })],
  ['graph.nodes[0].config.tooling[0].config.args[0]', local({ command: 'a', args: ['\u0085'] })],
  ['graph.nodes[0].config.tooling[0].config.env.A', local({ command: 'a', env: { A: '\u0001' } })],
  ['graph.nodes[0].config.tooling[0].config.server', remote({ server: 'http://a/\u0001' })],
  ['graph.nodes[0].config.tooling[0].config.headers.A', remote({ server: 'http://a', headers: { A: 'x\r\nB: y' } })],
  ['graph.nodes[0].config.base_url', agent({ base_url: 'http://a\n' })],
])('reports a control character in %s', (path, graph) => {
  expect(problemsOf(graph)).toMatchObject([
    { code: 'E_CONTROL_CHARACTER', path, hint: expect.stringMatching(/Remove/) },
  ]);
});

it.each(['A B', 'A=B', '', '1A', 'ä'])(
  'refuses "%s" as the name of a variable of a program, and says what a name is',
  (name) => {
    const [program, server] = [node('python', { env: { [name]: '' } }), local({ command: 'a', env: { [name]: '' } })];

    for (const graph of [program, server]) {
      expect(problemsOf(graph)).toMatchObject([
        { code: 'E_FIELD_INVALID', hint: expect.stringMatching(/letters, digits/) },
      ]);
    }
  },
);

it('allows tabs and line breaks in arguments and variables, and all texts in what only models and templates see', () => {
  const script = 'import os\n\tprint(1)\n';
  const scripted = { default: { tool_calls: [{ name: 'run', arguments: { command: script, path: script } }] } };

  expect(problemsOf(node('python', { args: ['-c', script], env: { A: script } }))).toEqual([]);
  expect(problemsOf(node('template', { variables: { name: script, file: script } }))).toEqual([]);
  expect(problemsOf(agent({ provider: 'scripted', params: scripted }))).toEqual([]);
});

it('finds control characters that come from variables', () => {
  const graph = node('python', { interpreter: '${PROGRAM}', env: { A: '${VALUE}' } });
  const found = problemsOf(graph, { PROGRAM: 'python\n3', VALUE: '\0' });

  expect(found.map(({ code, path }) => [code, path])).toEqual([
    ['E_CONTROL_CHARACTER', 'graph.nodes[0].config.interpreter'],
    ['E_CONTROL_CHARACTER', 'graph.nodes[0].config.env.A'],
  ]);
});

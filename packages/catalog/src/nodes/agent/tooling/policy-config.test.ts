import { compile, readWorkflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { createVocabulary, operatorPolicyProblems } from '../../../index.ts';

const vocabulary = createVocabulary({});

const read = (text: string) => readWorkflow({ file: 'w.yaml', text }, { vocabulary, mode: 'check' });

const agent = (entry: string) => `    - id: A
      type: agent
      config:
        provider: openai
        name: gpt-6-sol
        tooling:
          - ${entry}
`;
const functions = (policy: string) =>
  agent(`{type: function, config: {tools: [{name: read_file}, {name: save_file}]}, policy: ${policy}}`);
const server = (policy: string, more = '') =>
  agent(`{type: mcp_remote, config: {server: 'https://bank.example/mcp'}, policy: ${policy}${more}}`);

/** Returns the problems of a policy, with their lines and their paths below it. */
function problems(nodes: string, policy = ''): string[] {
  const { issues } = read(`graph:\n  id: g\n${policy}  nodes:\n${nodes}`);
  return issues
    .filter(({ path }) => path.includes('policy'))
    .map(({ code, line, path, hint }) => `${code} ${line} ${path.replace(/^.*policy/, '')} ${hint ?? ''}`.trim());
}

describe('a policy for calls of tools', () => {
  it.each([
    functions(
      '[{tool: read_file, do: allow}, {tool: "save_*", when: {path: path, matches: "^etc"}, do: ask, expires: 2h}]',
    ),
    server('[{tool: "get_*", do: allow}, {annotation: destructive, do: deny, reason: Use a draft.}, {do: ask}]'),
    server('[{annotation: read_only, do: allow}, {do: ask}]', ', trust_annotations: true'),
    functions('null'),
  ])('is accepted: %s', (nodes) => {
    expect(problems(nodes)).toEqual([]);
  });

  it.each([
    ['[{tool: read_file, do: maybe}]', 'E_FIELD_INVALID 10 [0].do'],
    ['[{tool: read_file}]', 'E_FIELD_MISSING 10 [0].do'],
    ['{tool: read_file, do: ask}', 'E_FIELD_TYPE 10'],
    ['[{tool: save_file, do: ask, expires: soon}]', 'E_FIELD_INVALID 10 [0].expires'],
    ['[{tool: save_file, do: deny, expires: 1h}]', 'E_FIELD_INVALID 10 [0].expires'],
    ['[{tool: save_file, do: ask, reason: because}]', 'E_FIELD_INVALID 10 [0].reason'],
    ['[{tool: save_file, when: {path: "path..b", above: 1}, do: ask}]', 'E_JSON_PATH_INVALID 10 [0].when.path'],
    ['[{tool: save_file, when: {path: path}, do: ask}]', 'E_FIELD_INVALID 10 [0].when'],
    ['[{tool: save_file, when: {path: path, matches: "("}, do: ask}]', 'E_REGEX_INVALID 10 [0].when.matches'],
  ])('is refused: %s', (policy, problem) => {
    const [found, ...others] = problems(functions(policy));

    expect(others).toEqual([]);
    expect(`${found} `.startsWith(`${problem} `), found).toBe(true);
  });

  it.each([
    ['[{tool: save_file, whne: {path: path, exists: true}, do: allow}]', 'whne'],
    ['[{tool: save_file, when: {path: path, abvoe: 3, exists: true}, do: allow}]', 'abvoe'],
  ])('is refused with a key that is not known, which could allow more: %s', (policy, key) => {
    const [problem, ...others] = problems(functions(policy));

    expect(others).toEqual([]);
    expect(problem).toMatch(new RegExp(`^E_\\w+ 10 .*${key}`));
  });

  it.each([
    [functions('[{tool: reed_file, do: ask}]'), 'W_POLICY_TOOL_UNKNOWN 10 [0].tool Did you mean "read_file"?'],
    [
      functions('[{tool: "save_*", when: {path: pat, exists: true}, do: ask}]'),
      'W_POLICY_ARGUMENT_UNKNOWN 10 [0].when.path Did you mean "path"?',
    ],
    [functions('[{do: ask}, {tool: read_file, do: deny}]'), /^W_POLICY_UNREACHABLE 10 \[1\]/],
    [server('[{annotation: read_only, do: allow}, {do: ask}]'), /^W_POLICY_UNTRUSTED 10 \[0\].annotation/],
  ])('is warned of: %s', (nodes, problem) => {
    expect(problems(nodes)).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)]);
  });

  const inside = (nodes: string) => `    - id: S
      type: subgraph
      config:
        type: config
        config:
          id: inner
          nodes:
${nodes.replace(/^/gm, '        ').trimEnd()}
`;

  it.each([
    ['a name that none of its tools has', functions('[]'), '[{tool: rd_file, do: ask}]', 'Did you mean "read_file"?'],
    [
      'a name, where it has no tools',
      '    - {id: L, type: literal, config: {content: x}}\n',
      '[{tool: pay, do: ask}]',
      '',
    ],
    ['a name that no tool of an inner graph has', inside(functions('[]')), '[{tool: pay, do: ask}]', ''],
  ])('of a graph is warned of: %s', (_what, nodes, policy, hint) => {
    expect(problems(nodes, `  tool_policy: ${policy}\n`)).toEqual([`W_POLICY_TOOL_UNKNOWN 3 [0].tool ${hint}`.trim()]);
  });

  it.each([
    ['[{tool: read_file, do: ask}]', functions('[]')],
    ['[{tool: read_file, do: ask}]', inside(functions('[]'))],
    ['[{tool: my_save_file, do: deny}]', functions('[], prefix: my')],
    ['[{tool: "*", do: ask}]', '    - {id: L, type: literal, config: {content: x}}\n'],
    ['[{do: ask}]', '    - {id: L, type: literal, config: {content: x}}\n'],
    ['[{tool: pay, do: ask}]', functions('[]') + server('[]').replace('id: A', 'id: B')],
    ['[{tool: pay, do: ask}]', inside(server('[]'))],
  ])('of a graph may be about tools that it has, or that only a server knows: %s', (policy, nodes) => {
    expect(problems(nodes, `  tool_policy: ${policy}\n`)).toEqual([]);
  });

  it('of an operator is warned of names that are similar to functions, or that no tool has', () => {
    const rules = ['read_file', 'reed_file', 'pay', 'get_*', 'save_*', 'send money', '*', undefined].map((tool) => ({
      ...(tool === undefined ? {} : { tool }),
      do: 'ask' as const,
    }));
    const found = operatorPolicyProblems(
      [{ annotation: 'read_only', do: 'allow' }, ...rules],
      ['read_file', 'save_file'],
    );

    expect(found.map(({ code, path, hint }) => [code, path[0], hint])).toEqual([
      ['W_POLICY_UNTRUSTED', 0, expect.any(String)],
      ['W_POLICY_UNREACHABLE', 8, expect.any(String)],
      ['W_POLICY_TOOL_UNKNOWN', 2, 'Did you mean "read_file"?'],
      ['W_POLICY_TOOL_UNKNOWN', 6, undefined],
    ]);
  });

  it('of a graph has the place of its mistakes, and holds in the graphs inside it', () => {
    const inner = `    - id: S
      type: subgraph
      config:
        type: config
        config:
          id: inner
          tool_policy: [{tool: '*', do: deny}]
          nodes: [{id: L, type: literal, config: {content: x}}]
`;
    expect(problems(inner, '  tool_policy: [{tool: pay, do: perhaps}]\n')).toEqual([
      'E_FIELD_INVALID 3 [0].do Write `allow`, `ask` or `deny`.',
    ]);

    const { workflow } = read(`graph:\n  id: g\n  tool_policy: [{tool: pay, do: ask}]\n  nodes:\n${inner}`);
    const plan = workflow && compile(workflow, vocabulary);
    expect([...(plan?.graphs ?? [])].map(([key, { toolPolicies }]) => [key, toolPolicies])).toEqual([
      ['', [[{ tool: 'pay', do: 'ask' }]]],
      ['S', [[{ tool: 'pay', do: 'ask' }], [{ tool: '*', do: 'deny' }]]],
    ]);
  });
});

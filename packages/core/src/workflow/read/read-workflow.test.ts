import { describe, expect, it } from 'vitest';
import { errorsOf, places, readText } from '../../../test-support/workflow-vocabulary.ts';

const errors = (text: string) => errorsOf(readText(text).issues);

const node = (id: string, rest = 'type: passthrough, config: {}') => `{id: ${id}, ${rest}}`;

describe('readWorkflow', () => {
  it('reads a workflow into its canonical form', () => {
    const { workflow, issues } = readText(`
version: "1"
graph:
  id: flow
  nodes:
    - id: Writer
      type: agent
      context_window: 2
      config: {provider: openai, name: gpt, role: Write.}
    - id: Check
      type: pass
      config: {}
  edges:
    - from: Writer
      to: Check
      keep_message: true
      condition: {type: keyword, config: {any: ok}}
      process: {type: template, config: {template: "{{content}}"}}
`);
    expect(issues).toEqual([]);
    expect(workflow).toEqual({
      version: '1',
      graph: {
        id: 'flow',
        logLevel: 'DEBUG',
        voting: false,
        start: ['Writer'],
        end: ['Check'],
        memory: [],
        nodes: [
          {
            id: 'Writer',
            type: 'agent',
            contextWindow: 2,
            logOutput: true,
            config: { provider: 'openai', name: 'gpt', role: 'Write.' },
            input: [],
            output: [],
          },
          {
            id: 'Check',
            type: 'passthrough',
            contextWindow: 0,
            logOutput: true,
            config: { only_last_message: true },
            input: [],
            output: [],
          },
        ],
        edges: [
          {
            from: 'Writer',
            to: 'Check',
            trigger: true,
            condition: { type: 'keyword', config: { any: 'ok', case_sensitive: true } },
            carryData: true,
            keepMessage: true,
            clearContext: false,
            clearKeptContext: false,
            processor: { type: 'template', config: { template: '{{content}}' } },
            dynamic: null,
          },
        ],
      },
    });
  });

  it('reports all problems at once, in the order of the text, each with its position and a hint', () => {
    const { workflow, issues } = readText(`version: 0.4
graph:
  id: flow
  nodes:
    - id: Writer
      type: agnet
      config: {}
    - id: Counter
      type: loop_counter
      config: {max_iterations: "3", reset_on_emitt: false}
    - type: literal
      config: {content: "  "}
  edges:
    - {from: Writer, to: Couter, trigger: "yes"}
    - {from: Counter, to: Writer, condition: 5}
`);
    expect(workflow).toBeUndefined();
    expect(places(issues)).toEqual([
      'E_FIELD_TYPE 1:10 version',
      'E_NODE_TYPE_UNKNOWN 6:13 graph.nodes[0].type',
      'E_FIELD_TYPE 10:32 graph.nodes[1].config.max_iterations',
      'W_KEY_UNKNOWN 10:37 graph.nodes[1].config.reset_on_emitt',
      'E_FIELD_MISSING 11:7 graph.nodes[2].id',
      'E_FIELD_INVALID 12:25 graph.nodes[2].config.content',
      'E_EDGE_TARGET_UNKNOWN 14:26 graph.edges[0].to',
      'E_FIELD_TYPE 14:43 graph.edges[0].trigger',
      'E_CONDITION_INVALID 15:46 graph.edges[1].condition',
    ]);
    const hints = new Map(issues.map(({ code, hint }) => [code, hint]));
    expect(hints.get('E_NODE_TYPE_UNKNOWN')).toBe('Did you mean "agent"?');
    expect(hints.get('E_EDGE_TARGET_UNKNOWN')).toBe('Did you mean "Counter"?');
    expect(hints.get('W_KEY_UNKNOWN')).toBe('Did you mean "reset_on_emit"?');
    expect(hints.get('E_FIELD_INVALID')).toBe('Write a text.');
  });

  it.each([
    ['', 'E_ROOT_NOT_MAPPING'],
    ['- a', 'E_ROOT_NOT_MAPPING'],
    ['version: "1"', 'E_GRAPH_MISSING graph'],
    ['graph:', 'E_GRAPH_MISSING graph'],
    ['graph: {id: x, nodes: []}', 'E_NODES_MISSING graph.nodes'],
    ['graph: {id: x, start: A, ndoes: [], edges: [{from: A, to: B}]}', 'E_NODES_MISSING graph.nodes'],
    [`vars: [a]\ngraph: {id: x, nodes: [${node('A')}]}`, 'E_FIELD_TYPE vars'],
    [`graph: {id: x, vars: {a: 1}, nodes: [${node('A')}]}`, 'E_VARS_MISPLACED graph.vars'],
    [`graph: {id: x, log_level: null, nodes: [${node('A')}]}`, 'E_FIELD_INVALID graph.log_level'],
    [`graph: {id: x, nodes: [${node('A')}, ${node('A')}]}`, 'E_NODE_ID_DUPLICATE graph.nodes[1].id'],
    ['graph: {id: x, nodes: [{id: A, type: human}]}', 'E_FIELD_MISSING graph.nodes[0].config'],
    ['graph: {id: x, nodes: [{id: no, type: human, config: {}}]}', 'E_FIELD_TYPE graph.nodes[0].id'],
    [
      `graph: {id: x, nodes: [${node('A', 'type: human, memories: [m], config: {}')}]}`,
      'E_MEMORIES_MISPLACED graph.nodes[0].memories',
    ],
    [
      `graph: {id: x, nodes: [${node('A', 'type: agent, config: {provider: p, name: n, memory: m}')}]}`,
      'E_AGENT_MEMORY_LEGACY graph.nodes[0].config.memory',
    ],
    [
      `graph: {id: x, nodes: [${node('A', 'type: agent, config: {provider: p, name: n, memories: [{name: m}]}')}]}`,
      'E_MEMORY_UNKNOWN graph.nodes[0].config.memories[0].name',
    ],
    [
      `graph: {id: x, memory: [{name: m, type: redis}], nodes: [${node('A')}]}`,
      'E_MEMORY_TYPE_UNKNOWN graph.memory[0].type',
    ],
  ])('refuses %s', (text, place) => {
    expect(errors(text)).toEqual([place]);
  });

  it('derives a missing graph id from the file name and warns', () => {
    const { workflow, issues } = readText(`graph: {nodes: [${node('A')}]}`);
    expect(workflow?.graph.id).toBe('flow');
    expect(places(issues)).toEqual(['W_GRAPH_ID_MISSING 1:8 graph']);
  });

  it('tells an author of a text without quotes to write them', () => {
    const { issues } = readText(
      'graph: {id: x, nodes: [{id: A, type: human, config: {description: Right, or wrong}}]}',
    );
    expect(issues[0]?.hint).toBe('Put the text in quotes: a comma ends it within { }.');
    const { issues: braces } = readText('graph: {id: x, description: {{ text }}, nodes: []}');
    expect(braces[0]?.hint).toBe('Put a text that begins with { in quotes.');
  });

  it('does not call an id missing that has the wrong type', () => {
    const { issues } = readText(`graph: {id: 12, nodes: [${node('A')}]}`);
    expect(places(issues)).toEqual(['E_FIELD_TYPE 1:13 graph.id']);
  });

  it('refuses a variable without a value in a run, and warns in a check', () => {
    const text = `graph: {id: x, nodes: [${node('A', "type: literal, config: {content: 'say ${X}'}")}]}`;
    expect(errors(text)).toEqual(['E_VARIABLE_UNRESOLVED graph.nodes[0].config.content']);
    const checked = readText(text, { mode: 'check' });
    expect(places(checked.issues)).toEqual(['W_VARIABLE_UNRESOLVED 1:65 graph.nodes[0].config.content']);
    expect(checked.workflow).toBeDefined();
    expect(readText(text, { environment: { X: 'hi' } }).workflow?.graph.nodes[0]?.config).toMatchObject({
      content: 'say hi',
    });
  });

  it('does not check the type of a value that is not known yet', () => {
    const text = `graph: {id: x, nodes: [${node('A', "type: loop_counter, config: {max_iterations: '${N}'}")}]}`;
    const checked = readText(text, { mode: 'check' });
    expect(checked.issues.map(({ code }) => code)).toEqual(['W_GUARD_OUTSIDE_LOOP', 'W_VARIABLE_UNRESOLVED']);
    expect(checked.workflow).toBeUndefined();
    expect(readText(text, { variables: { N: 4 } }).workflow?.graph.nodes[0]?.config).toMatchObject({
      max_iterations: 4,
    });
  });

  it('keeps references in secret fields, also where the environment has a value', () => {
    const config =
      "{provider: p, name: '${M}', api_key: '${KEY}', tooling: [{type: mcp, config: {headers: {a: 'B ${T}'}}}]}";
    const text = `vars: {KEY: '\${KEY}'}\ngraph: {id: x, nodes: [${node('A', `type: agent, config: ${config}`)}]}`;
    const { workflow, issues } = readText(text, { environment: { KEY: 'k', M: 'gpt' } });
    expect(issues).toEqual([]);
    expect(workflow?.graph.nodes[0]?.config).toMatchObject({
      name: 'gpt',
      api_key: '${KEY}',
      tooling: [{ config: { headers: { a: 'B ${T}' } } }],
    });
  });

  it('reports circular and unused variables', () => {
    const text = `vars: {A: '\${B}', B: '\${A}', C: 1}\ngraph: {id: x, nodes: [${node('N')}]}`;
    expect(places(readText(text).issues)).toEqual(['E_VARIABLE_CYCLE 1:11 vars.A', 'W_VARIABLE_UNUSED 1:30 vars.C']);
  });

  it('reads the initial messages of nodes', () => {
    const rest = 'type: passthrough, config: {}, input: [hi, {role: assistant, content: yo, keep: true}], output: 3';
    expect(readText(`graph: {id: x, nodes: [${node('A', rest)}]}`).workflow?.graph.nodes[0]).toMatchObject({
      input: [
        { role: 'user', content: 'hi', source: '', keep: false },
        { role: 'assistant', content: 'yo', keep: true },
      ],
      output: [{ role: 'assistant', content: '3' }],
    });
  });

  describe('compat: chatdev', () => {
    const text = `graph:
  id: x
  nodes:
    - {id: A, type: loop_counter, context_window: "2", log_output: 0, config: {max_iterations: 2.9, reset_on_emit: "false"}}
    - {id: B, type: agent, config: {provider: p, name: n}}
  edges: [{from: A, to: B, condition: "false", dynamic: {type: tree, config: {max_parallel: "3"}}}]
`;

    it('converts and accepts the same values as the original engine', () => {
      const { workflow } = readText(text, { compat: 'chatdev' });
      expect(workflow?.compat).toBe('chatdev');
      expect(workflow?.graph.nodes).toMatchObject([
        { contextWindow: 2, logOutput: false, config: { max_iterations: 2, reset_on_emit: true } },
        { onError: 'text' },
      ]);
      expect(workflow?.graph.nodes[0]).not.toHaveProperty('onError');
      expect(workflow?.graph.edges[0]).toMatchObject({ condition: null, dynamic: { maxParallel: 3, groupSize: 3 } });
    });

    it('is strict without it', () => {
      expect(errors(text)).toHaveLength(5);
    });

    it('can be set in the graph', () => {
      expect(readText(text.replace('id: x', 'compat: chatdev')).workflow?.compat).toBe('chatdev');
    });

    it('passes everything for an unknown function, with a warning', () => {
      const edge = `graph: {id: x, nodes: [${node('A')}, ${node('B')}], edges: [{from: A, to: B, condition: nope}]}`;
      expect(errors(edge)).toEqual(['E_FUNCTION_UNKNOWN graph.edges[0].condition']);
      expect(readText(edge, { compat: 'chatdev' }).issues).toMatchObject([{ code: 'W_FUNCTION_UNKNOWN' }]);
    });
  });
});

it('returns the line of each node, also of those in a subgraph of the same text', () => {
  const { lines } = readText(`graph:
  id: top
  nodes:
    - id: A
      type: passthrough
      config: {}
    - {id: B, type: passthrough, config: {}}
    - id: Sub
      type: subgraph
      config:
        type: config
        config:
          nodes:
            - {id: In, type: passthrough, config: {}}
`);

  expect(lines).toEqual({ A: 4, B: 7, Sub: 8, 'Sub/In': 14 });
});

it('returns the line of a single node without a list, and of nodes of a text with errors', () => {
  expect(readText('graph:\n  id: g\n  nodes: {id: A, type: nothing}\n').lines).toEqual({ A: 3 });
});

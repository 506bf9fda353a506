import type { Termination } from '@millrace/core';
import { readWorkflow } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createVocabulary } from '../index.ts';

const vocabulary = createVocabulary({ terminations: new Map([['budget', { evaluate: () => false }]]) });

function read(termination: unknown, more: Readonly<Record<string, unknown>> = {}) {
  const text = stringify({
    graph: {
      id: 'team',
      start: 'Writer',
      end: 'Critic',
      nodes: ['Writer', 'Critic'].map((id) => ({ id, type: 'passthrough', config: {} })),
      edges: [{ from: 'Writer', to: 'Critic' }],
      ...(termination === undefined ? {} : { termination }),
      ...more,
    },
  });
  return readWorkflow({ file: 'flow.yaml', text }, { vocabulary, mode: 'run' });
}

const codes = (termination: unknown, more: Readonly<Record<string, unknown>> = {}) =>
  read(termination, more).issues.map(({ code, path }) => `${code} ${path}`);

const external = { type: 'external' };

describe('a termination', () => {
  it('is the same when its normal form is read again', () => {
    const written = {
      any_of: [
        { type: 'max_messages', config: { max_messages: 40, include_agent_event: true } },
        { type: 'max_turns', config: { max_turns: 12, sources: ['Writer'] } },
        { type: 'text_mention', config: { text: 'APPROVE', sources: ['Critic', 'TASK'], include_task: false } },
        { type: 'token_usage', config: { max_prompt_token: 5 } },
        { type: 'timeout', config: { timeout_seconds: 60 }, in_flight: 'cancel', id: 'late' },
        { type: 'handoff', config: { target: 'user' } },
        {
          all_of: [
            { type: 'source_match', config: { sources: ['Critic'] } },
            { type: 'external', config: { name: 'enough' } },
            { type: 'stop_message', config: { sources: ['Critic'] } },
            { type: 'text_message', config: { source: 'Critic' } },
            { type: 'function_call', config: { function_name: 'approve' } },
            { type: 'function', config: { name: 'budget', args: { limit: 2 }, on_error: 'stop' } },
          ],
        },
      ],
      in_flight: { drain_seconds: 30 },
    };
    const once = read(written).workflow?.graph.termination as Termination;

    expect(once).toMatchObject({ in_flight: { drain_seconds: 30 }, any_of: expect.any(Array) });
    expect(read(once).workflow?.graph.termination).toEqual(once);
    expect(once).toMatchObject({
      any_of: expect.arrayContaining([
        { type: 'token_usage', config: { max_prompt: 5, include_nested: true } },
        { type: 'timeout', config: { seconds: 60, count_paused: false }, in_flight: 'cancel', id: 'late' },
        expect.objectContaining({ config: expect.objectContaining({ sources: ['Critic', 'user'] }) }),
      ]),
    });
  });

  it('of a named scope is the same when its normal form is read again', () => {
    const ofScope = (termination: unknown) =>
      read(undefined, { scopes: [{ id: 'a', nodes: ['Writer'], termination }] }).workflow?.graph.scopes?.[0]
        ?.termination;
    const once = ofScope({ ...external, exit_to: ['Critic'], carry_last: 'Writer', message: 'Enough.' });

    expect(once).toMatchObject({ exit_to: ['Critic'], carry_last: 'Writer', message: 'Enough.' });
    expect(ofScope(once)).toEqual(once);
  });

  it('can be a list, or one condition', () => {
    const leaf = { type: 'external', config: { name: 'external' } };
    const options = { in_flight: 'drain', exit_to: [], carry_last: true };

    expect(read([external]).workflow?.graph.termination).toEqual({ any_of: [leaf], ...options });
    expect(read(external).workflow?.graph.termination).toEqual({ any_of: [leaf], ...options });
    expect(read({ ...external, in_flight: 'cancel' }).workflow?.graph.termination).toMatchObject({
      in_flight: 'cancel',
    });
  });

  it.each([
    [{ any_of: [] }, ['E_TERM_EMPTY graph.termination.any_of']],
    [[], ['E_TERM_EMPTY graph.termination']],
    [{ all_of: [] }, ['E_TERM_EMPTY graph.termination.all_of']],
    [{ ...external, all_of: [external] }, ['E_TERM_NODE graph.termination']],
    [{ any_of: [{}] }, ['E_TERM_NODE graph.termination.any_of[0]']],
    ['APPROVE', ['E_TERM_NODE graph.termination']],
    [{ type: 'max_mesages' }, ['E_TERM_TYPE graph.termination.type']],
    [{ type: 'max_messages', config: { max_messages: -1 } }, ['E_TERM_CONFIG graph.termination.config.max_messages']],
    [{ type: 'max_messages', config: { max_messages: 0 } }, ['E_TERM_CONFIG graph.termination.config.max_messages']],
    [{ type: 'max_turns', config: { max_turns: 0 } }, ['E_TERM_CONFIG graph.termination.config.max_turns']],
    [{ type: 'timeout', config: { seconds: 0 } }, ['E_TERM_CONFIG graph.termination.config.seconds']],
    [{ type: 'text_mention', config: { text: 'x', sources: [] } }, ['E_TERM_CONFIG graph.termination.config.sources']],
    [{ type: 'max_messages' }, ['E_TERM_CONFIG graph.termination.config.max_messages']],
    [{ type: 'text_mention', config: { text: '' } }, ['E_TERM_CONFIG graph.termination.config.text']],
    [{ type: 'token_usage' }, ['E_TERM_CONFIG graph.termination.config']],
    [{ type: 'timeout', config: {} }, ['E_TERM_CONFIG graph.termination.config.seconds']],
    [{ type: 'source_match', config: { sources: [] } }, ['E_TERM_CONFIG graph.termination.config.sources']],
    [{ type: 'source_match', config: { sources: ['Wrter'] } }, ['E_TERM_SOURCE graph.termination.config']],
    [{ type: 'function', config: { name: 'budgt' } }, ['E_TERM_FUNCTION graph.termination.config.name']],
    [{ ...external, exit_to: ['Critic'], carry_last: 'Writer', message: 'Enough.' }, []],
    [{ ...external, exit_to: ['Critc'] }, ['E_TERM_EXIT_NODE graph.termination.exit_to[0]']],
    [{ ...external, carry_last: false }, ['E_TERM_OPTION graph.termination.carry_last']],
    [{ ...external, message: 'Enough.' }, ['E_TERM_OPTION graph.termination.message']],
    [{ ...external, in_flight: 'wait' }, ['E_TERM_OPTION graph.termination.in_flight']],
    [{ ...external, in_flight: { drain_seconds: 0 } }, ['E_TERM_OPTION graph.termination.in_flight.drain_seconds']],
    [
      [
        { ...external, id: 'a' },
        { ...external, id: 'a' },
      ],
      ['E_TERM_ID graph.termination[1].id'],
    ],
    [{ type: 'text_mention', config: { text: 'x' } }, ['W_TERM_TASK graph.termination']],
    [{ type: 'text_mention', config: { text: 'x', sources: ['Critic'] } }, []],
    [{ type: 'text_mention', config: { text: 'x', include_task: true } }, []],
    [{ type: 'external', config: { nme: 'x' } }, ['W_KEY_UNKNOWN graph.termination.config.nme']],
  ])('reports invalid conditions: %j', (termination, expected) => {
    expect(codes(termination)).toEqual(expected);
  });

  it('refuses trees that are too deep or too large', () => {
    const deep = (levels: number): unknown => (levels === 0 ? external : { any_of: [deep(levels - 1)] });

    expect(codes(deep(7))).toEqual([]);
    expect(codes(deep(8))[0]).toContain('E_TERM_DEPTH');
    expect(codes(Array.from({ length: 65 }, () => external))[0]).toContain('E_TERM_DEPTH');
  });

  it('observes nodes of subgraphs only when it is so configured', () => {
    const inner = { nodes: [{ id: 'Reader', type: 'passthrough', config: {} }] };
    const nodes = [{ id: 'Sub', type: 'subgraph', config: { type: 'config', config: inner } }];
    const match = (sources: readonly string[], more = {}) => ({ type: 'source_match', config: { sources, ...more } });
    const checked = (termination: unknown) => codes(termination, { nodes, edges: [], start: 'Sub', end: 'Sub' });

    expect(checked(match(['Sub/Reader'], { include_nested: true }))).toEqual([]);
    expect(checked(match(['Sub/Reader']))).toEqual(['E_TERM_SOURCE graph.termination.config']);
    expect(checked(match(['Sub/Raeder'], { include_nested: true }))).toEqual([
      'E_TERM_SOURCE graph.termination.config',
    ]);
  });

  it('of a subgraph call refers to the nodes of the subgraph', () => {
    const inner = { nodes: [{ id: 'Reader', type: 'passthrough', config: {} }] };
    const config = {
      type: 'config',
      config: inner,
      termination: { type: 'max_turns', config: { max_turns: 2, sources: ['Reader'] } },
    };
    const { workflow, issues } = read(undefined, {
      nodes: [{ id: 'Sub', type: 'subgraph', config }],
      edges: [],
      start: 'Sub',
      end: 'Sub',
    });

    expect(issues).toEqual([]);
    expect(workflow?.graph.nodes[0]?.termination).toMatchObject({ any_of: [{ type: 'max_turns' }] });
  });
});

describe('an exit node of a graph', () => {
  const last = { type: 'external', exit_to: ['Last'] };
  const node = (more: Readonly<Record<string, unknown>>) => ({ id: 'Last', config: {}, ...more });
  const inner = { type: 'config', config: { id: 'inner', nodes: [{ id: 'A', type: 'passthrough', config: {} }] } };
  const written = (lasting: unknown, more: Readonly<Record<string, unknown>> = {}) =>
    read(last, {
      start: undefined,
      end: undefined,
      nodes: [...['Writer', 'Critic'].map((id) => ({ id, type: 'passthrough', config: {} })), lasting],
      ...more,
    });

  it('is no start, no end, and no unreachable node', () => {
    const { workflow, issues } = written(node({ type: 'passthrough' }));

    expect(issues).toEqual([]);
    expect(workflow?.graph).toMatchObject({ start: ['Writer'], end: ['Critic'] });
  });

  it.each([
    [node({ type: 'human' }), {}, 'E_TERM_EXIT_NODE graph.termination.exit_to[0]'],
    [node({ type: 'subgraph', config: inner }), {}, 'E_TERM_EXIT_NODE graph.termination.exit_to[0]'],
    [node({ type: 'passthrough' }), { is_majority_voting: true, edges: [] }, 'E_TERM_OPTION graph.termination.exit_to'],
  ])('is refused where it has no effect: %j', (lasting, more, expected) => {
    expect(written(lasting, more).issues.map(({ code, path }) => `${code} ${path}`)).toEqual([expected]);
  });

  it('can be the target of a fan-out, and is then executed once', () => {
    const dynamic = { type: 'map', config: { split_type: 'lines' } };
    const edges = [
      { from: 'Writer', to: 'Critic' },
      { from: 'Critic', to: 'Last', dynamic },
    ];

    expect(written(node({ type: 'passthrough' }), { edges }).issues).toEqual([]);
  });
});

describe('named scopes', () => {
  const scoped = (...scopes: readonly unknown[]) => codes(undefined, { scopes });
  const scope = (id: string, nodes: readonly string[], more = {}) => ({ id, nodes, max_iterations: 3, ...more });

  it.each([
    [[scope('a', ['Writer', 'Critic']), scope('b', ['Critic'])], []],
    [[scope('a', ['Writer', 'Critc'])], ['E_SCOPE_NODE graph.scopes[0].nodes[1]']],
    [[scope('a', ['Writer']), scope('a', ['Critic'])], ['E_SCOPE_DUPLICATE graph.scopes[1].id']],
    [[scope('a', ['Writer']), scope('b', ['Writer'])], ['E_SCOPE_OVERLAP graph.scopes[1].nodes']],
    [[{ id: 'a', nodes: ['Writer'] }], ['W_SCOPE_IDLE graph.scopes[0]']],
    [
      [scope('a', ['Writer'], { termination: { ...external, exit_to: ['Writer'] } })],
      ['E_TERM_EXIT_NODE graph.scopes[0].termination.exit_to[0]'],
    ],
    [
      [scope('a', ['Writer'], { termination: { ...external, exit_to: ['Nobody'] } })],
      ['E_TERM_EXIT_NODE graph.scopes[0].termination.exit_to[0]'],
    ],
    [
      [scope('a', ['Writer'], { termination: { ...external, exit_to: ['Critic'], carry_last: 'Nobody' } })],
      ['E_TERM_EXIT_NODE graph.scopes[0].termination.carry_last'],
    ],
    [
      [scope('a', ['Writer'], { termination: { ...external, message: 'Enough.' } })],
      ['E_TERM_OPTION graph.scopes[0].termination.message'],
    ],
    [[scope('a', ['Writer'], { termination: { ...external, exit_to: ['Critic'] } })], []],
  ])('are refused when they are invalid: %j', (scopes, expected) => {
    expect(scoped(...scopes)).toEqual(expected);
  });

  it('count as the exit of a loop that they stop', () => {
    const loop = {
      edges: [{ from: 'Writer', to: 'Writer' }],
      nodes: [
        { id: 'Writer', type: 'passthrough', config: {} },
        { id: 'Out', type: 'passthrough', config: {} },
      ],
      end: 'Out',
    };
    const scopes = [{ id: 'a', nodes: ['Writer'], termination: { ...external, exit_to: ['Out'] } }];

    expect(codes(undefined, loop)).toEqual([
      'W_LOOP_WITHOUT_EXIT graph.nodes[0]',
      'W_LOOP_UNGUARDED graph.nodes[0]',
      'W_NODE_ORPHAN graph.nodes[1]',
    ]);
    expect(codes(undefined, { ...loop, scopes })).toEqual([]);
    expect(codes({ ...external, exit_to: ['Out'] }, loop)).toEqual([]);
  });
});

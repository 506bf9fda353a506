import type { ActivationId, Event, GraphPlan, JournalEntry, MessageRef, Plan, PlanNode } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { createProgress, previewOf } from './progress.ts';

const planNode = (index: number, id: string, facts: Partial<PlanNode> = {}): PlanNode => ({
  index,
  id,
  type: 'literal',
  config: {},
  contextWindow: 0,
  logOutput: true,
  out: [],
  in: [],
  guard: false,
  waits: false,
  usesWorkspace: false,
  speaks: false,
  onError: 'fail',
  input: [],
  output: [],
  ...facts,
});

const graphPlan = (key: string, nodes: readonly PlanNode[]): GraphPlan => ({
  key,
  id: 'review',
  logLevel: 'DEBUG',
  voting: false,
  nodes,
  edges: [],
  items: nodes.map((node, index) => ({ index, members: [node.index], cycle: false, predecessors: 0, successors: [] })),
  itemOf: nodes.map((node) => node.index),
  start: [0],
  finals: [],
  maxIterations: 100,
  capsGuarded: false,
  scopes: [],
  memory: new Map(),
});

const plan: Plan = {
  compat: false,
  graphs: new Map([
    [
      '',
      graphPlan('', [
        planNode(0, 'Writer', { type: 'agent' }),
        planNode(1, 'Reviewer', { type: 'human', waits: true }),
        planNode(2, 'Loop Guard', { type: 'loop_counter', guard: true }),
        planNode(3, 'Appendix', { type: 'subgraph', graph: 'Appendix' }),
      ]),
    ],
    ['Appendix', graphPlan('Appendix', [planNode(0, 'Inner')])],
  ]),
};

const ref: MessageRef = { id: 'm1', role: 'assistant', source: 'Writer' };

/** The lines for these events, one tenth of a second apart. */
function tell(events: readonly Event[], preview?: string, of = plan): string[] {
  const progress = createProgress(of);
  return events.flatMap((event, n) => {
    const entry: JournalEntry = { id: `${n + 1}-0`, at: n * 100, event };
    return progress(entry, previewOf(entry) === undefined ? undefined : preview).map((line) => line.text);
  });
}

const ready = (activation: ActivationId, node: number, facts: { scope?: 's0' | 's1'; unit?: number } = {}): Event => ({
  type: 'activation.ready',
  activation,
  scope: facts.scope ?? 's0',
  node,
  part: 'whole',
  token: 't',
  ...(facts.unit === undefined ? {} : { unit: facts.unit }),
});

const completed = (activation: ActivationId, outputs: readonly MessageRef[], warnings?: readonly string[]): Event => ({
  type: 'activation.completed',
  activation,
  outputs,
  routes: [],
  ...(warnings === undefined ? {} : { warnings }),
});

describe('the progress view', () => {
  it('tells which node completed, its type, its time and the beginning of its output', () => {
    expect(tell([ready('a1', 0), completed('a1', [ref])], 'First\n  draft')).toEqual([
      '✔ Writer (agent) 0.1s  “First draft”',
    ]);
  });

  it('cuts a long output to one line', () => {
    const [line] = tell([ready('a1', 0), completed('a1', [ref])], 'word '.repeat(100));
    expect(line).toMatch(/^✔ Writer \(agent\) 0\.1s {2}“word .*…”$/);
    expect(line?.length).toBeLessThan(110);
  });

  it('tells no less than the log level of the graph, but every question and how the run ended', () => {
    const graph = graphPlan('', [planNode(0, 'Writer'), planNode(1, 'Reviewer', { waits: true })]);
    const told = (logLevel: GraphPlan['logLevel']) =>
      tell(
        [
          { type: 'items.skipped', scope: 's0', items: [1] },
          ready('a1', 0),
          completed('a1', [ref], ['odd']),
          ready('a2', 1),
          { type: 'activation.suspended', activation: 'a2', wait: { kind: 'human', prompt: 'Well?', input: '' } },
          { type: 'activation.failed', activation: 'a2', error: { code: 'X', message: 'no' } },
          { type: 'run.finished', status: 'completed' },
        ],
        undefined,
        { compat: false, graphs: new Map([['', { ...graph, logLevel }]]) },
      ).map((text) => text.slice(0, 3));
    expect(told('DEBUG')).toEqual(['– s', '! W', '✔ W', '⏸ R', '✖ R', '✔ c']);
    expect(told('INFO')).toEqual(['! W', '✔ W', '⏸ R', '✖ R', '✔ c']);
    expect(told('WARNING')).toEqual(['! W', '⏸ R', '✖ R', '✔ c']);
    expect(told('ERROR')).toEqual(['⏸ R', '✖ R', '✔ c']);
    expect(told('CRITICAL')).toEqual(['⏸ R', '✔ c']);
  });

  it('tells only how long an output is whose node does not want it logged', () => {
    const graph = graphPlan('', [planNode(0, 'Writer', { logOutput: false })]);
    const quiet: Plan = { compat: false, graphs: new Map([['', graph]]) };
    expect(tell([ready('a1', 0), completed('a1', [ref])], 'secret', quiet)).toEqual([
      '✔ Writer (literal) 0.1s  (6 characters)',
    ]);
  });

  it('adds up the tokens of all steps of an activation', () => {
    const step: Event = {
      type: 'step.completed',
      activation: 'a1',
      step: 1,
      result: 'm1',
      usage: { promptTokens: 10, completionTokens: 4 },
    };
    expect(tell([ready('a1', 0), step, step, completed('a1', [ref])])).toEqual(['✔ Writer (agent) 0.3s, 20→8 tokens']);
  });

  it('says what a person is asked and what was answered', () => {
    const wait = { kind: 'human', prompt: 'Enter ACCEPT.\nOr not.', input: 'text' } as const;
    const lines = tell(
      [
        ready('a1', 1),
        { type: 'activation.suspended', activation: 'a1', wait },
        { type: 'activation.answered', activation: 'a1', answer: ref, token: 't2' },
        completed('a1', [ref]),
      ],
      'shorter',
    );
    expect(lines).toEqual([
      '⏸ Reviewer waits: Enter ACCEPT.',
      '▷ Reviewer is answered  “shorter”',
      '✔ Reviewer (human) 0.3s',
    ]);
  });

  it('says that a guard without output suppressed, and that another node had none', () => {
    expect(tell([ready('a1', 2), completed('a1', [])])).toEqual(['· Loop Guard suppressed']);
    expect(tell([ready('a1', 0), completed('a1', [])])).toEqual(['✔ Writer (agent) 0.1s, no output']);
  });

  it('counts iterations from the second one on', () => {
    const iterated = (iteration: number): Event => ({ type: 'cycle.iterated', scope: 's1', iteration, roots: [0] });
    const entered: Event = {
      type: 'cycle.entered',
      scope: 's1',
      parent: 's0',
      item: 0,
      members: [0, 1],
      entry: 0,
      limit: 100,
    };
    expect(tell([entered, iterated(1), iterated(2)])).toEqual(['↻ Writer: iteration 2']);
    expect(tell([entered, { type: 'cycle.left', scope: 's1', reason: 'limit' }])).toEqual([
      '! the loop at Writer reached its iteration limit and was cut off',
    ]);
  });

  it('names skipped nodes', () => {
    expect(tell([{ type: 'items.skipped', scope: 's0', items: [0, 2] }])).toEqual(['– skipped: Writer, Loop Guard']);
  });

  it('names nodes of a subgraph by their way there, and units by their number', () => {
    const entered: Event = {
      type: 'graph.entered',
      scope: 's1',
      graph: 'Appendix',
      caller: { scope: 's0', node: 3 },
      task: [],
      presets: [],
    };
    expect(tell([entered, ready('a2', 0, { scope: 's1', unit: 1 }), completed('a2', [ref])])).toEqual([
      '▸ Appendix begins',
      '✔ Appendix/Inner[2] (literal) 0.1s',
    ]);
  });

  it('tells warnings and failures with their reasons', () => {
    expect(tell([ready('a1', 0), completed('a1', [ref], ['the condition threw'])])).toEqual([
      '! Writer: the condition threw',
      '✔ Writer (agent) 0.1s',
    ]);
    const error = { code: 'MODEL_FAILED', message: '401 no key' };
    expect(
      tell([
        ready('a1', 0),
        { type: 'activation.failed', activation: 'a1', error },
        { type: 'run.finished', status: 'failed', error: { ...error, node: 'Writer' } },
      ]),
    ).toEqual(['✖ Writer (agent) failed: MODEL_FAILED 401 no key', '✖ failed: MODEL_FAILED 401 no key (at Writer)']);
  });
});

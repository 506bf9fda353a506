import type { Vocabulary } from '../../definitions/define.ts';
import type { Edge, Graph, Node, Use } from '../document/workflow.ts';
import type { Boss, BossBranch, BossStep } from './boss.ts';
import { cutShort, ending, final, result, status, summary, words } from './templates.ts';

/**
 * The graph that a boss stands for. Names in brackets are there when they are needed.
 *
 *     enter ─ [inputs] ─ memory_reading_0 ─ [planner ─ plan_writing ─ plan_reading] ─► controller
 *     controller ─ executor/<command> ─ result ─ memory_writing ─ memory_reading ─ … ─► controller
 *     controller, result, last step ─► finish            when it is stopped ─► stopped
 *
 * What a boss knows travels in the variables of the messages. A node of the author does not hand them on, so they go
 * around it, over an edge that only carries data: from the controller to `result`, and around the planner and each step.
 */
export function expandBoss(boss: Boss, vocabulary: Vocabulary): Graph {
  const builder = new GraphBuilder(vocabulary);
  const last = drawPreparation(builder, boss);
  builder.edge(last, 'controller');
  drawRounds(builder, boss);
  drawFinish(builder, boss);
  drawStopped(builder, boss);
  return {
    id: boss.id.replaceAll(/[^\w-]+/g, '_'),
    ...(boss.description === undefined ? {} : { description: boss.description }),
    logLevel: boss.logLevel,
    voting: false,
    start: ['enter'],
    end: ['finish', 'stopped'],
    // The rounds are counted by the controller, and they end.
    maxIterations: 'unlimited',
    nodes: builder.nodes,
    edges: builder.edges,
    memory: boss.stores,
  };
}

/** Nodes and edges under way. */
class GraphBuilder {
  readonly nodes: Node[] = [];
  readonly edges: Edge[] = [];
  readonly #vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** A node of ours. */
  node(id: string, type: string, config: unknown): string {
    return this.place(this.made(id, type, config));
  }

  /** The same before it has its place. */
  made(id: string, type: string, config: unknown): Node {
    const schema = this.#vocabulary.nodes.get(type)?.config;
    return { ...blank, id, type, config: schema?.parse(config) ?? config };
  }

  /** A node as it is, such as one of the author's. */
  place(node: Node): string {
    this.nodes.push(node);
    return node.id;
  }

  edge(from: string, to: string, { branches, processor, trigger = true }: Going = {}): void {
    const condition = branches === undefined ? null : this.#use('conditions', 'branch', { in: branches });
    const process = processor === undefined ? null : this.#use('processors', processor.type, processor.config);
    this.edges.push({ ...plain, from, to, trigger, condition, processor: process });
  }

  #use(registry: 'conditions' | 'processors', type: string, config: unknown): Use {
    return { type, config: this.#vocabulary[registry].get(type)?.config.parse(config) ?? config };
  }
}

/** How an edge differs from a plain one. */
interface Going {
  readonly branches?: readonly string[];
  readonly processor?: Use;
  readonly trigger?: boolean;
}

const blank = { contextWindow: 0, logOutput: true, input: [], output: [] } as const;
const plain = {
  carryData: true,
  keepMessage: false,
  clearContext: false,
  clearKeptContext: false,
  dynamic: null,
} as const;

/** Everything before the first round; gives the node that leads to the controller. */
function drawPreparation(builder: GraphBuilder, boss: Boss): string {
  const { inputs, planner, paths, reading } = boss;
  let last = builder.node('enter', 'template', {
    text: '{{ goal }}',
    attachments: 'text',
    variables: {
      goal: inputs.goal,
      ...(inputs.plan === undefined ? {} : { plan: inputs.plan }),
      ...(inputs.logs === undefined ? {} : { given_logs: inputs.logs }),
      memory_files: paths,
      ...beginning,
    },
    fail: {
      code: 'E_BOSS_GOAL',
      message: `{% if (goal ~ "") | trim == "" %}"${boss.name.replaceAll(/[{}"]/g, '')}" was given no goal.{% endif %}`,
    },
  });
  const next = (id: string) => {
    builder.edge(last, id);
    last = id;
  };
  const write = (id: string, store: string, value: string) => next(builder.node(id, 'memory_write', { store, value }));
  if (inputs.logs !== undefined && paths['logs'] !== undefined) write('logs_input', 'logs', '{{ given_logs }}');
  if (inputs.plan !== undefined && paths['plan'] !== undefined) write('plan_input', 'plan', '{{ plan }}');
  next(builder.node('memory_reading_0', 'memory_read', { stores: reading }));
  if (planner === undefined) return last;
  builder.edge(last, 'plan_writing', { trigger: false });
  // The planner does not hand on the files of the goal.
  builder.edge('enter', 'controller', { trigger: false });
  next(builder.place(planner.node));
  write('plan_writing', planner.store, '{{ text }}');
  next(builder.node('plan_reading', 'memory_read', { stores: withPlan(reading, planner.store) }));
  return last;
}

const beginning = {
  round: 0,
  command: '',
  command_args: {},
  result: '',
  summary: '',
  status: 'unfinished',
  ending: '',
};

const withPlan = (reading: Boss['reading'], store: string): Boss['reading'] =>
  reading === 'all' ? reading : [...new Set([...reading, store])];

function drawRounds(builder: GraphBuilder, boss: Boss): void {
  const controller = builder.made('controller', 'controller', boss.controller);
  builder.place({ ...controller, ...(boss.lasting ? { lasting: true } : {}) });
  builder.edge('controller', 'result', { trigger: false });
  for (const branch of boss.branches) drawBranch(builder, boss, branch);
  builder.node('invalid', 'passthrough', {});
  builder.edge('controller', 'invalid', { branches: [words.invalid] });
  builder.edge('invalid', 'result');
  builder.node('result', 'template', {
    text: '{{ result }}',
    variables: { result: result(boss), summary: summary(boss), status: status(boss), ending: ending(boss) },
    branch: '{{ ending }}',
  });
  let last = 'result';
  for (const step of boss.steps) {
    const { first, end } = drawStep(builder, boss, { step, before: last });
    builder.edge(last, first, { branches: [words.next, words.limit] });
    if (mayEnd(last)) builder.edge(last, 'finish', { branches: [words.exit] });
    last = end;
  }
  drawEnd(builder, boss, last);
}

/** Steps that hand on what they are given end nothing by themselves. */
const mayEnd = (id: string): boolean => id !== 'memory_writing' && id !== 'memory_reading';

/** The ways out of the last step of a round. */
function drawEnd(builder: GraphBuilder, { onMaxRound }: Boss, last: string): void {
  builder.edge(last, 'controller', { branches: [words.next] });
  if (onMaxRound.action !== 'ask_user') {
    builder.edge(last, 'finish', { branches: [words.exit, words.limit] });
    return;
  }
  builder.node('ask_limit', 'human', {
    description: 'The limit of rounds was reached before the goal. What is the result?',
  });
  builder.edge(last, 'ask_limit', { branches: [words.limit] });
  builder.edge(last, 'finish', { branches: [words.limit], trigger: false });
  builder.edge('ask_limit', 'finish');
  if (!mayEnd(last)) return;
  // Two nodes have one edge between them, and that one triggers nothing.
  builder.node('ended', 'passthrough', {});
  builder.edge(last, 'ended', { branches: [words.exit] });
  builder.edge('ended', 'finish');
}

function drawBranch(builder: GraphBuilder, boss: Boss, branch: BossBranch): void {
  const { name, node, builtin, args } = branch;
  const id = `executor/${name}`;
  const [only, ...others] = Object.keys(args);
  const text = only !== undefined && others.length === 0 ? { text_path: `command_args.${only}` } : {};
  const processor = { type: 'pick', config: { path: 'command_args', ...text } };
  const observes = branch.observesErrors ? { onError: 'text' as const } : {};
  if (node !== undefined) builder.place({ ...node, ...observes });
  else if (builtin === 'ask_user') builder.node(id, 'human', { description: '{{command_args.question}}' });
  else if (builtin === 'update_plan') {
    builder.node(id, 'memory_write', { store: planStore(boss), value: '{{ data.updated_plan }}', mode: 'overwrite' });
  } else if (boss.planner !== undefined) {
    drawReplanning(builder, { name, id, planner: boss.planner, observes });
    return;
  }
  builder.edge('controller', id, { branches: [name], processor });
  builder.edge(id, 'result');
}

const planStore = ({ planner }: Boss): string => planner?.store ?? 'plan';

interface Replanning {
  readonly name: string;
  readonly id: string;
  readonly planner: NonNullable<Boss['planner']>;
  readonly observes: Pick<Node, 'onError'>;
}

/** The planner once more, told what is wrong. A plan that could not be made is not written. */
function drawReplanning(builder: GraphBuilder, { name, id, planner, observes }: Replanning): void {
  const template =
    '{{ command_args.goal }}\n\nThe plan so far:\n{{ plan }}{% if logs is defined %}\n\nWhat was done:\n{{ logs }}{% endif %}';
  builder.place({ ...planner.node, id, ...observes });
  builder.edge('controller', id, {
    branches: [name],
    processor: { type: 'template', config: { template, attachments: 'text' } },
  });
  builder.node(`${id}/writing`, 'memory_write', {
    store: planner.store,
    value: '{% if not failure %}{{ text }}{% endif %}',
    mode: 'overwrite',
  });
  builder.edge(id, `${id}/writing`);
  builder.edge(`${id}/writing`, 'result');
}

interface Stepping {
  readonly step: BossStep;
  /** The node that the step comes after. */
  readonly before: string;
}

function drawStep(
  builder: GraphBuilder,
  boss: Boss,
  { step, before }: Stepping,
): { readonly first: string; readonly end: string } {
  switch (step.type) {
    case 'memory_writing': {
      const id = builder.node('memory_writing', 'memory_write', boss.writing ?? {});
      return { first: id, end: id };
    }
    case 'memory_reading': {
      const id = builder.node('memory_reading', 'memory_read', { stores: boss.reading });
      return { first: id, end: id };
    }
    case 'own': {
      const id = builder.place(step.node);
      const output = builder.node(`${id}/output`, 'template', {
        text: '{{ result }}',
        variables: { ...step.output, ending: ending(boss) },
        branch: '{{ ending }}',
      });
      builder.edge(id, output);
      builder.edge(before, output, { trigger: false });
      if (step.input === undefined) return { first: id, end: output };
      const input = builder.node(`${id}/input`, 'template', { data: step.input });
      builder.edge(input, id);
      return { first: input, end: output };
    }
  }
}

function drawFinish(builder: GraphBuilder, boss: Boss): void {
  const parts = { result: final(boss, 'result'), summary: final(boss, 'summary'), status: final(boss, 'status') };
  const limited = `{% if ending == "${words.limit}" %}${parts.result}{% endif %}`;
  builder.node('finish', 'template', {
    text: '{{ result }}',
    variables: parts,
    data: { result: '{{ result }}', summary: '{{ summary }}', status: '{{ status }}', rounds: '{{ round }}' },
    metadata: { summary: '{{ summary }}', status: '{{ status }}' },
    ...(boss.onMaxRound.action === 'fail' ? { fail: { code: 'BOSS_MAX_ROUND', message: limited } } : {}),
  });
  const ends = [...boss.finishes.map(({ name }) => name), words.exit];
  builder.edge('controller', 'finish', { branches: ends });
}

/** What a boss says that was stopped, by what it began with, the stop message and what the latest round has come to. */
function drawStopped(builder: GraphBuilder, boss: Boss): void {
  const facts = { summary: '{{ summary }}', status: '{{ status }}', stop_reason: '{{ stop_reason }}' };
  builder.node('stopped', 'template', {
    text: '{{ result }}',
    variables: { ...cutShort(boss), status: 'unfinished' },
    data: { result: '{{ result }}', ...facts, rounds: '{{ round }}' },
    metadata: facts,
  });
  builder.edge('enter', 'stopped', { trigger: false });
}

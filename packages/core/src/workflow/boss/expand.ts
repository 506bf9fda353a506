import type { Vocabulary } from '../../definitions/define.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Edge, Graph, Node, Use } from '../document/workflow.ts';
import { plainEdge } from '../document/workflow.ts';
import type { Boss, BossBranch, BossStep } from './boss.ts';
import { cutShort, ending, final, reservedBranches, result, status, summary } from './templates.ts';

/**
 * Expands a boss into a graph. Names in brackets exist only if they are needed.
 *
 *     enter ─ [inputs] ─ memory_reading_0 ─ [planner ─ plan_writing ─ plan_reading] ─► controller
 *     controller ─ executor/<command> ─ result ─ memory_writing ─ memory_reading ─ … ─► controller
 *     controller, result, last step ─► finish            when it is stopped ─► stopped
 *
 * The data of a boss travels in the variables of the messages. Nodes of the author do not forward variables, so the
 * variables bypass them, over edges that only carry data: from the controller to `result`, and around the planner and
 * each step.
 */
export function expandBoss(boss: Boss, vocabulary: Vocabulary): Graph {
  const builder = new GraphBuilder(vocabulary);
  const last = drawPreparation(builder, boss);
  builder.edge(last, 'controller');
  drawRounds(builder, boss);
  drawFinish(builder, boss);
  drawStopped(builder, boss);
  return omitUndefined({
    id: boss.id.replaceAll(/[^\w-]+/g, '_'),
    description: boss.description,
    logLevel: boss.logLevel,
    voting: false,
    start: ['enter'],
    end: ['finish', 'stopped'],
    // The controller limits the number of rounds.
    maxIterations: 'unlimited',
    nodes: builder.nodes,
    edges: builder.edges,
    memory: boss.stores,
  });
}

/** Collects the nodes and edges of the graph. */
class GraphBuilder {
  readonly nodes: Node[] = [];
  readonly edges: Edge[] = [];
  readonly #vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Adds a node that the author did not write. */
  node(id: string, type: string, config: unknown): string {
    return this.place(this.made(id, type, config));
  }

  /** Creates such a node without adding it. */
  made(id: string, type: string, config: unknown): Node {
    const schema = this.#vocabulary.nodes.get(type)?.config;
    return { ...defaultNode, id, type, config: schema?.parse(config) ?? config };
  }

  /** Adds a node as it is, such as one of the author's. */
  place(node: Node): string {
    this.nodes.push(node);
    return node.id;
  }

  edge(from: string, to: string, { branches, processor, trigger = true }: EdgeOptions = {}): void {
    const condition = branches === undefined ? null : this.#use('conditions', 'branch', { in: branches });
    const process = processor === undefined ? null : this.#use('processors', processor.type, processor.config);
    this.edges.push({ ...plainEdge, from, to, trigger, condition, processor: process });
  }

  #use(registry: 'conditions' | 'processors', type: string, config: unknown): Use {
    return { type, config: this.#vocabulary[registry].get(type)?.config.parse(config) ?? config };
  }
}

/** Options by which an edge differs from a plain one. */
interface EdgeOptions {
  readonly branches?: readonly string[];
  readonly processor?: Use;
  readonly trigger?: boolean;
}

const defaultNode = { contextWindow: 0, logOutput: true, input: [], output: [] } as const;

/** Adds everything before the first round; returns the node that leads to the controller. */
function drawPreparation(builder: GraphBuilder, boss: Boss): string {
  const { inputs, planner, paths, reading } = boss;
  let last = builder.node('enter', 'template', {
    text: '{{ goal }}',
    attachments: 'text',
    variables: {
      goal: inputs.goal,
      ...omitUndefined({ plan: inputs.plan, given_logs: inputs.logs }),
      memory_files: paths,
      ...initialVariables,
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
  // The planner does not forward the files of the goal.
  builder.edge('enter', 'controller', { trigger: false });
  next(builder.place(planner.node));
  write('plan_writing', planner.store, '{{ text }}');
  next(builder.node('plan_reading', 'memory_read', { stores: withPlan(reading, planner.store) }));
  return last;
}

const initialVariables = {
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
  builder.edge('controller', 'invalid', { branches: [reservedBranches.invalid] });
  builder.edge('invalid', 'result');
  builder.node('result', 'template', {
    text: '{{ result }}',
    variables: { result: result(boss), summary: summary(boss), status: status(boss), ending: ending(boss) },
    branch: '{{ ending }}',
  });
  let last = 'result';
  for (const step of boss.steps) {
    const { first, end } = drawStep(builder, boss, { step, before: last });
    builder.edge(last, first, { branches: [reservedBranches.next, reservedBranches.limit] });
    if (mayEnd(last)) builder.edge(last, 'finish', { branches: [reservedBranches.exit] });
    last = end;
  }
  drawEnd(builder, boss, last);
}

/** Returns whether a step can end the boss: memory steps only forward their input. */
const mayEnd = (id: string): boolean => id !== 'memory_writing' && id !== 'memory_reading';

/** Adds the edges out of the last step of a round. */
function drawEnd(builder: GraphBuilder, { onMaxRound }: Boss, last: string): void {
  builder.edge(last, 'controller', { branches: [reservedBranches.next] });
  if (onMaxRound.action !== 'ask_user') {
    builder.edge(last, 'finish', { branches: [reservedBranches.exit, reservedBranches.limit] });
    return;
  }
  builder.node('ask_limit', 'human', {
    description: 'The limit of rounds was reached before the goal. What is the result?',
  });
  builder.edge(last, 'ask_limit', { branches: [reservedBranches.limit] });
  builder.edge(last, 'finish', { branches: [reservedBranches.limit], trigger: false });
  builder.edge('ask_limit', 'finish');
  if (!mayEnd(last)) return;
  // There can be only one edge between two nodes, and that one does not trigger.
  builder.node('ended', 'passthrough', {});
  builder.edge(last, 'ended', { branches: [reservedBranches.exit] });
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

interface ReplanningBranch {
  readonly name: string;
  readonly id: string;
  readonly planner: NonNullable<Boss['planner']>;
  readonly observes: Pick<Node, 'onError'>;
}

/** Adds another execution of the planner, with the problem as its input. A failed plan is not written. */
function drawReplanning(builder: GraphBuilder, { name, id, planner, observes }: ReplanningBranch): void {
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

interface StepPlacement {
  readonly step: BossStep;
  /** The node that comes before the step. */
  readonly before: string;
}

function drawStep(
  builder: GraphBuilder,
  boss: Boss,
  { step, before }: StepPlacement,
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
  const limited = `{% if ending == "${reservedBranches.limit}" %}${parts.result}{% endif %}`;
  builder.node('finish', 'template', {
    text: '{{ result }}',
    variables: parts,
    data: { result: '{{ result }}', summary: '{{ summary }}', status: '{{ status }}', rounds: '{{ round }}' },
    metadata: { summary: '{{ summary }}', status: '{{ status }}' },
    ...(boss.onMaxRound.action === 'fail' ? { fail: { code: 'BOSS_MAX_ROUND', message: limited } } : {}),
  });
  const ends = [...boss.finishes.map(({ name }) => name), reservedBranches.exit];
  builder.edge('controller', 'finish', { branches: ends });
}

/** Adds the node that returns the result of a stopped boss, from its inputs, the stop message and the latest round. */
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

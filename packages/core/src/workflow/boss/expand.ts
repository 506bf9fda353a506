import type { Vocabulary } from '../../definitions/define.ts';
import type { Edge, Graph, Node, Use } from '../document/workflow.ts';
import type { Boss, Branch, Step } from './boss.ts';
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
export function expand(boss: Boss, vocabulary: Vocabulary): Graph {
  const drawing = new Drawing(vocabulary);
  const last = drawPreparation(drawing, boss);
  drawing.edge(last, 'controller');
  drawRounds(drawing, boss);
  drawFinish(drawing, boss);
  drawStopped(drawing, boss);
  return {
    id: boss.id.replaceAll(/[^\w-]+/g, '_'),
    ...(boss.description === undefined ? {} : { description: boss.description }),
    logLevel: boss.logLevel,
    voting: false,
    start: ['enter'],
    end: ['finish', 'stopped'],
    // The rounds are counted by the controller, and they end.
    maxIterations: 'unlimited',
    nodes: drawing.nodes,
    edges: drawing.edges,
    memory: boss.stores,
  };
}

/** Nodes and edges under way. */
class Drawing {
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
function drawPreparation(drawing: Drawing, boss: Boss): string {
  const { inputs, planner, paths, reading } = boss;
  let last = drawing.node('enter', 'template', {
    text: '{{ goal }}',
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
    drawing.edge(last, id);
    last = id;
  };
  const write = (id: string, store: string, value: string) => next(drawing.node(id, 'memory_write', { store, value }));
  if (inputs.logs !== undefined && paths['logs'] !== undefined) write('logs_input', 'logs', '{{ given_logs }}');
  if (inputs.plan !== undefined && paths['plan'] !== undefined) write('plan_input', 'plan', '{{ plan }}');
  next(drawing.node('memory_reading_0', 'memory_read', { stores: reading }));
  if (planner === undefined) return last;
  drawing.edge(last, 'plan_writing', { trigger: false });
  next(drawing.place(planner.node));
  write('plan_writing', planner.store, '{{ text }}');
  next(drawing.node('plan_reading', 'memory_read', { stores: withPlan(reading, planner.store) }));
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

function drawRounds(drawing: Drawing, boss: Boss): void {
  const controller = drawing.made('controller', 'controller', boss.controller);
  drawing.place({ ...controller, ...(boss.lasting ? { lasting: true } : {}) });
  drawing.edge('controller', 'result', { trigger: false });
  for (const branch of boss.branches) drawBranch(drawing, boss, branch);
  drawing.node('invalid', 'passthrough', {});
  drawing.edge('controller', 'invalid', { branches: [words.invalid] });
  drawing.edge('invalid', 'result');
  drawing.node('result', 'template', {
    text: '{{ result }}',
    variables: { result: result(boss), summary: summary(boss), status: status(boss), ending: ending(boss) },
    branch: '{{ ending }}',
  });
  let last = 'result';
  for (const step of boss.steps) {
    const { first, end } = drawStep(drawing, boss, { step, before: last });
    drawing.edge(last, first, { branches: [words.next, words.limit] });
    if (mayEnd(last)) drawing.edge(last, 'finish', { branches: [words.exit] });
    last = end;
  }
  drawEnd(drawing, boss, last);
}

/** Steps that hand on what they are given end nothing by themselves. */
const mayEnd = (id: string): boolean => id !== 'memory_writing' && id !== 'memory_reading';

/** The ways out of the last step of a round. */
function drawEnd(drawing: Drawing, { onMaxRound }: Boss, last: string): void {
  drawing.edge(last, 'controller', { branches: [words.next] });
  if (onMaxRound.action !== 'ask_user') {
    drawing.edge(last, 'finish', { branches: [words.exit, words.limit] });
    return;
  }
  drawing.node('ask_limit', 'human', {
    description: 'The limit of rounds was reached before the goal. What is the result?',
  });
  drawing.edge(last, 'ask_limit', { branches: [words.limit] });
  drawing.edge(last, 'finish', { branches: [words.limit], trigger: false });
  drawing.edge('ask_limit', 'finish');
  if (!mayEnd(last)) return;
  // Two nodes have one edge between them, and that one triggers nothing.
  drawing.node('ended', 'passthrough', {});
  drawing.edge(last, 'ended', { branches: [words.exit] });
  drawing.edge('ended', 'finish');
}

function drawBranch(drawing: Drawing, boss: Boss, branch: Branch): void {
  const { name, node, builtin, args } = branch;
  const id = `executor/${name}`;
  const [only, ...others] = Object.keys(args);
  const text = only !== undefined && others.length === 0 ? { text_path: `command_args.${only}` } : {};
  const processor = { type: 'pick', config: { path: 'command_args', ...text } };
  const observes = branch.observesErrors ? { onError: 'text' as const } : {};
  if (node !== undefined) drawing.place({ ...node, ...observes });
  else if (builtin === 'ask_user') drawing.node(id, 'human', { description: '{{command_args.question}}' });
  else if (builtin === 'update_plan') {
    drawing.node(id, 'memory_write', { store: planStore(boss), value: '{{ data.updated_plan }}', mode: 'overwrite' });
  } else if (boss.planner !== undefined) {
    drawReplanning(drawing, { name, id, planner: boss.planner, observes });
    return;
  }
  drawing.edge('controller', id, { branches: [name], processor });
  drawing.edge(id, 'result');
}

const planStore = ({ planner }: Boss): string => planner?.store ?? 'plan';

interface Replanning {
  readonly name: string;
  readonly id: string;
  readonly planner: NonNullable<Boss['planner']>;
  readonly observes: Pick<Node, 'onError'>;
}

/** The planner once more, told what is wrong. A plan that could not be made is not written. */
function drawReplanning(drawing: Drawing, { name, id, planner, observes }: Replanning): void {
  const template =
    '{{ command_args.goal }}\n\nThe plan so far:\n{{ plan }}{% if logs is defined %}\n\nWhat was done:\n{{ logs }}{% endif %}';
  drawing.place({ ...planner.node, id, ...observes });
  drawing.edge('controller', id, { branches: [name], processor: { type: 'template', config: { template } } });
  drawing.node(`${id}/writing`, 'memory_write', {
    store: planner.store,
    value: '{% if not failure %}{{ text }}{% endif %}',
    mode: 'overwrite',
  });
  drawing.edge(id, `${id}/writing`);
  drawing.edge(`${id}/writing`, 'result');
}

interface Stepping {
  readonly step: Step;
  /** The node that the step comes after. */
  readonly before: string;
}

function drawStep(
  drawing: Drawing,
  boss: Boss,
  { step, before }: Stepping,
): { readonly first: string; readonly end: string } {
  switch (step.type) {
    case 'memory_writing': {
      const id = drawing.node('memory_writing', 'memory_write', boss.writing ?? {});
      return { first: id, end: id };
    }
    case 'memory_reading': {
      const id = drawing.node('memory_reading', 'memory_read', { stores: boss.reading });
      return { first: id, end: id };
    }
    case 'own': {
      const id = drawing.place(step.node);
      const output = drawing.node(`${id}/output`, 'template', {
        text: '{{ result }}',
        variables: { ...step.output, ending: ending(boss) },
        branch: '{{ ending }}',
      });
      drawing.edge(id, output);
      drawing.edge(before, output, { trigger: false });
      if (step.input === undefined) return { first: id, end: output };
      const input = drawing.node(`${id}/input`, 'template', { data: step.input });
      drawing.edge(input, id);
      return { first: input, end: output };
    }
  }
}

function drawFinish(drawing: Drawing, boss: Boss): void {
  const parts = { result: final(boss, 'result'), summary: final(boss, 'summary'), status: final(boss, 'status') };
  const limited = `{% if ending == "${words.limit}" %}${parts.result}{% endif %}`;
  drawing.node('finish', 'template', {
    text: '{{ result }}',
    variables: parts,
    data: { result: '{{ result }}', summary: '{{ summary }}', status: '{{ status }}', rounds: '{{ round }}' },
    metadata: { summary: '{{ summary }}', status: '{{ status }}' },
    ...(boss.onMaxRound.action === 'fail' ? { fail: { code: 'BOSS_MAX_ROUND', message: limited } } : {}),
  });
  const ends = [...boss.finishes.map(({ name }) => name), words.exit];
  drawing.edge('controller', 'finish', { branches: ends });
}

/** What a boss says that was stopped, by what it began with, the stop message and what the latest round has come to. */
function drawStopped(drawing: Drawing, boss: Boss): void {
  const facts = { summary: '{{ summary }}', status: '{{ status }}', stop_reason: '{{ stop_reason }}' };
  drawing.node('stopped', 'template', {
    text: '{{ result }}',
    variables: { ...cutShort(boss), status: 'unfinished' },
    data: { result: '{{ result }}', ...facts, rounds: '{{ round }}' },
    metadata: facts,
  });
  drawing.edge('enter', 'stopped', { trigger: false });
}

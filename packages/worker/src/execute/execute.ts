import type { Failure, GraphPlan, MemoryWrite, Message, Outcome, PlanNode, Settlement } from '@millrace/core';
import {
  jointVariables,
  NodeError,
  namesIn,
  observeLeaves,
  presetsOf,
  storeWithinRun,
  taskDelta,
  textMessage,
  tooLarge,
  withVariables,
} from '@millrace/core';
import type { Assignment } from '../context/activation-context.ts';
import { carryingItems, filledConfig } from '../context/items.ts';
import type { Crew } from '../context/worker-context.ts';
import { createHost } from '../host/host.ts';
import type { Performing } from './execution.ts';
import { assertOnCourse, withAnswer } from './replay-steps.ts';
import type { Produced } from './route.ts';
import { route } from './route.ts';
import { split } from './split.ts';
import { timeLimit } from './time-limit.ts';
import { vote } from './vote.ts';

/** Does what an activation is there for: all of a node, or the part of it that its record names. */
export function perform(crew: Crew, work: Performing): Settlement | Promise<Settlement> {
  const { assignment } = work;
  const { node, record } = assignment;
  const messages = assignment.input.map(({ message }) => message);
  assertOnCourse(assignment);
  if (assignment.output !== undefined) return given(crew, work, assignment.output);
  if (node === undefined) return produce(work, [vote(messages)]);
  switch (record.part) {
    case 'whole':
    case 'exit':
      return execute(crew, work, { node, messages });
    case 'unit':
      return node.graph === undefined ? execute(crew, work, { node, messages }) : call(work, node, messages);
    case 'open':
      return node.fanOut === undefined ? call(work, node, messages) : open(crew, work, node);
    case 'close':
      return routed(crew, work, {
        outputs: closing(work, node, messages),
        silent: isSilent(assignment),
      });
  }
}

/** Whether its outputs take no edges: the scope around collects them, or they are the last in a graph that is being stopped. */
const isSilent = ({ scope, graph, record }: Assignment): boolean =>
  scope.type === 'tree' || graph.voting || record.part === 'exit';

/** What comes out of what a node has opened: the last layer of its units, or what a call of its graph has come to. */
function closing(
  { assignment: { plan, record }, telling }: Performing,
  node: PlanNode,
  messages: readonly Message[],
): readonly Message[] {
  telling.closes = record.from?.startsWith('units/') ? 'units' : 'graph';
  if (telling.closes === 'units') return messages;
  const outputs = resultOf(node, plan.graphs.get(node.graph ?? '')?.voting === true, messages.map(withoutVariables));
  const { stop } = record;
  if (stop === undefined) return outputs;
  const facts = { stop_reason: stop.text, stop_code: stop.code };
  return outputs.map((output) => ({ ...output, metadata: { ...output.metadata, ...facts } }));
}

/** What a message knows stays in the execution of the graph that it is part of. */
const withoutVariables = (message: Message): Message => withVariables(message, {});

/** A call of a graph always comes to something: to an empty message if need be. */
function resultOf(node: PlanNode, voting: boolean, messages: readonly Message[]): readonly Message[] {
  if (voting) return [vote(messages)];
  return messages.length > 0 ? messages : [textMessage('assistant', '', node.id)];
}

async function execute(
  crew: Crew,
  work: Performing,
  { node, messages }: { node: PlanNode; messages: readonly Message[] },
): Promise<Settlement> {
  const { assignment, signal, steps, files, telling } = work;
  const definition = crew.vocabulary.nodes.get(node.type);
  if (definition === undefined)
    throw new NodeError('NODE_TYPE_MISSING', `This worker does not know the node type "${node.type}".`);
  const limit = timeLimit(node, signal);
  const { host, memory, close } = createHost(crew, { assignment, node, signal: limit.signal, steps, files, telling });
  const names = { ...namesIn(jointVariables(messages)), ...assignment.items };
  const config = filledConfig(node.config, definition.templates ?? [], names);
  let attempted: Attempted;
  try {
    attempted = await attempt(
      () => limit.within(() => definition.execute(config, messages, host)),
      { node, signal, catches: catchesFailure(assignment.graph, node), compat: assignment.plan.compat },
      (failure) => definition.failureText?.(config, messages, failure) ?? failure.message,
    );
  } finally {
    await close();
  }
  const { outcome, failed, failure } = attempted;
  switch (outcome.type) {
    case 'completed': {
      const silent = isSilent(assignment);
      const settlement = await routed(crew, work, { ...outcome, silent, failed });
      const own = memoryOfItsOwn(assignment, memory);
      return {
        ...settlement,
        ...(outcome.state === undefined ? {} : { state: outcome.state }),
        ...(failure === undefined ? {} : { failure }),
        ...(own.length === 0 ? {} : { memory: own }),
      };
    }
    case 'suspended':
      return withAnswer(work, outcome);
    case 'failed':
      return outcome;
  }
}

/** What stores are to remember. What a replay repeats, those that outlive a run remember already. */
const memoryOfItsOwn = ({ rehearsal, wake: { run } }: Assignment, memory: readonly MemoryWrite[]) =>
  rehearsal?.type === 'recorded' ? memory.filter(({ store }) => storeWithinRun(run, store) !== undefined) : memory;

/** An output that somebody gave it stands for its work. */
function given(crew: Crew, work: Performing, output: Message): Settlement | Promise<Settlement> {
  const { node } = work.assignment;
  const outputs = [output];
  if (node === undefined) return produce(work, outputs);
  return routed(crew, work, { outputs, silent: isSilent(work.assignment) });
}

/** What is wrong with the workflow or the worker is no failure of the node, whatever its policy says. */
const beyondPolicy: ReadonlySet<string> = new Set(['PROVIDER_UNKNOWN', 'PRICE_UNKNOWN', 'REPLAY_DIVERGED']);

/** Whether edges are there for the failure of a node. */
const catchesFailure = (graph: GraphPlan, node: PlanNode): boolean =>
  node.out.some((edge) => graph.edges[edge]?.onError === true);

interface Attempting {
  /** As the original engine has it, a failure leaves nothing but its text. */
  readonly compat: boolean;
  readonly node: PlanNode;
  readonly signal: AbortSignal;
  readonly catches: boolean;
}

/** What came of an attempt; `failed`: the outcome stands for a failure that edges are there for. */
interface Attempted {
  readonly outcome: Outcome;
  /** What the outcome stands for. */
  readonly failure?: Failure;
  readonly failed: boolean;
}

/** Runs a node and applies its error policy. */
async function attempt(
  run: () => Outcome | Promise<Outcome>,
  { node, signal, catches, compat }: Attempting,
  failureText: (failure: { code: string; message: string }) => string,
): Promise<Attempted> {
  let outcome: Outcome;
  try {
    outcome = await run();
  } catch (error) {
    if (signal.aborted || !(error instanceof NodeError) || beyondPolicy.has(error.code)) throw error;
    outcome = { type: 'failed', error: { code: error.code, message: error.message } };
  }
  outcome = fitting(outcome, node);
  if (outcome.type !== 'failed' || (node.onError === 'fail' && !catches)) return { outcome, failed: false };
  const { error: failure } = outcome;
  if (node.onError === 'continue' && !catches)
    return { outcome: { type: 'completed', outputs: [] }, failure, failed: false };
  const text = textMessage('assistant', failureText(failure), node.id);
  const said = compat ? text : { ...text, metadata: { failure } };
  return { outcome: { type: 'completed', outputs: [said] }, failure, failed: catches };
}

/** An output that nobody could store is a failure of the node. */
function fitting(outcome: Outcome, { id }: PlanNode): Outcome {
  if (outcome.type !== 'completed') return outcome;
  const message = tooLarge([...outcome.outputs, ...(outcome.context ?? [])], `The output of node "${id}"`);
  return message === undefined ? outcome : { type: 'failed', error: { code: 'MESSAGE_TOO_LARGE', message } };
}

async function open(crew: Crew, work: Performing, node: PlanNode): Promise<Settlement> {
  const { units, statics } = await split(crew, work.assignment, node);
  if (units.length === 0) {
    if (statics.length === 0) return produce(work, []);
    return node.graph === undefined ? execute(crew, work, { node, messages: statics }) : call(work, node, statics);
  }
  // A tree has nothing to reduce about a single message: it is the result.
  if (node.fanOut?.type === 'tree' && units.length === 1) return routed(crew, work, { outputs: units, silent: false });
  const { bringing } = work;
  return {
    type: 'split',
    statics: statics.map((one) => bringing.bring(one)),
    units: units.map((one) => bringing.bring(one)),
  };
}

async function call(work: Performing, node: PlanNode, messages: readonly Message[]): Promise<Settlement> {
  const { assignment, bringing, signal } = work;
  const inner = assignment.plan.graphs.get(node.graph ?? '');
  if (inner === undefined) throw new NodeError('PLAN_INVALID', `The plan has no graph for node "${node.id}".`);
  const task = messages.length > 0 ? messages : [textMessage('user', '', 'SUBGRAPH')];
  return {
    type: 'called',
    task: task.map((one) => bringing.bring(withoutVariables(one))),
    presets: presetsOf(inner, (message) => bringing.bring(message)),
    ...(inner.termination === undefined
      ? {}
      : { observed: await observeLeaves(inner.termination, taskDelta(task), { cells: {}, signal }) }),
  };
}

type Completed = Extract<Settlement, { type: 'completed' }>;

/** Outputs that go nowhere by edges of their own. */
function produce({ assignment, bringing, telling }: Performing, messages: readonly Message[]): Completed {
  const outputs = messages.map((one) =>
    // A message that came from nowhere, such as one that a node began with, comes from the node that passes it on.
    one.source === '' ? bringing.bringAs({ ...one, source: assignment.node?.id ?? '' }, one) : bringing.bring(one),
  );
  // What is stored already was said by somebody else.
  telling.said = messages.filter((one, at) => typeof outputs[at]?.body === 'number' && !isForwarded(assignment, one));
  if (telling.closes === 'units') telling.said = [];
  if (telling.closes === 'graph') telling.said = messages.slice(-1);
  return { type: 'completed', outputs, routes: [] };
}

/** Whether somebody else has said it, and the node only adds to it, as nodes do that read and write memory. */
const isForwarded = ({ node }: Performing['assignment'], { source }: Message): boolean =>
  node?.forwards === true && source !== node.id;

/** Outputs on their way over the node's edges; silent ones are collected by the scope around instead. */
async function routed(
  crew: Crew,
  work: Performing,
  { outputs: made, silent, ...produces }: Produced & { readonly silent: boolean },
): Promise<Completed> {
  const outputs = carryingItems(made, work.assignment);
  const produced = produce(work, outputs);
  if (silent || outputs.length === 0) return produced;
  const { routes, warnings } = await route(crew, work, { ...produces, outputs });
  return { ...produced, routes, ...(warnings.length === 0 ? {} : { warnings }) };
}

import type { Failure, GraphPlan, MemoryWrite, Message, Outcome, PlanNode, Settlement } from '@millrace/core';
import {
  mergeVariables,
  NodeError,
  observeLeaves,
  oversizeProblem,
  presetsOf,
  runStoreName,
  taskDelta,
  templateNames,
  textMessage,
  withVariables,
} from '@millrace/core';
import type { ActivationContext } from '../context/activation-context.ts';
import { fillConfig, withUnitItems } from '../context/items.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { createHost } from '../host/host.ts';
import type { Execution } from './execution.ts';
import { assertRecorded, withRecordedAnswer } from './replay-steps.ts';
import type { NodeOutputs } from './route.ts';
import { route } from './route.ts';
import { split } from './split.ts';
import { timeLimit } from './time-limit.ts';
import { majorityVote } from './vote.ts';

/** Does what an activation is there for: all of a node, or the part of it that its record names. */
export function execute(worker: WorkerContext, execution: Execution): Settlement | Promise<Settlement> {
  const { context } = execution;
  const { node, record } = context;
  const messages = context.input.map(({ message }) => message);
  assertRecorded(context);
  if (context.output !== undefined) return settleGivenOutput(worker, execution, context.output);
  if (node === undefined) return produce(execution, [majorityVote(messages)]);
  switch (record.part) {
    case 'whole':
    case 'exit':
      return executeNode(worker, execution, { node, messages });
    case 'unit':
      return node.graph === undefined
        ? executeNode(worker, execution, { node, messages })
        : call(execution, node, messages);
    case 'open':
      return node.fanOut === undefined ? call(execution, node, messages) : open(worker, execution, node);
    case 'close':
      return produceRouted(worker, execution, {
        outputs: closing(execution, node, messages),
        silent: isSilent(context),
      });
  }
}

/** Whether its outputs take no edges: the scope around collects them, or they are the last in a graph that is being stopped. */
const isSilent = ({ scope, graph, record }: ActivationContext): boolean =>
  scope.type === 'tree' || graph.voting || record.part === 'exit';

/** What comes out of what a node has opened: the last layer of its units, or what a call of its graph has come to. */
function closing(
  { context: { plan, record }, observation }: Execution,
  node: PlanNode,
  messages: readonly Message[],
): readonly Message[] {
  observation.closes = record.from?.startsWith('units/') ? 'units' : 'graph';
  if (observation.closes === 'units') return messages;
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
  if (voting) return [majorityVote(messages)];
  return messages.length > 0 ? messages : [textMessage('assistant', '', node.id)];
}

async function executeNode(
  worker: WorkerContext,
  execution: Execution,
  { node, messages }: { node: PlanNode; messages: readonly Message[] },
): Promise<Settlement> {
  const { context, signal, steps, files, observation } = execution;
  const definition = worker.vocabulary.nodes.get(node.type);
  if (definition === undefined)
    throw new NodeError('NODE_TYPE_MISSING', `This worker does not know the node type "${node.type}".`);
  const limit = timeLimit(node, signal);
  const { host, memory, close } = createHost(worker, {
    assignment: context,
    node,
    signal: limit.signal,
    steps,
    files,
    telling: observation,
  });
  const names = { ...templateNames(mergeVariables(messages)), ...context.items };
  const config = fillConfig(node.config, definition.templates ?? [], names);
  let attempted: Attempted;
  try {
    attempted = await attempt(
      () => limit.race(() => definition.execute(config, messages, host)),
      { node, signal, catches: catchesFailure(context.graph, node), compat: context.plan.compat },
      (failure) => definition.failureText?.(config, messages, failure) ?? failure.message,
    );
  } finally {
    await close();
  }
  const { outcome, failed, failure } = attempted;
  switch (outcome.type) {
    case 'completed': {
      const silent = isSilent(context);
      const settlement = await produceRouted(worker, execution, { ...outcome, silent, failed });
      const own = memoryOfItsOwn(context, memory);
      return {
        ...settlement,
        ...(outcome.state === undefined ? {} : { state: outcome.state }),
        ...(failure === undefined ? {} : { failure }),
        ...(own.length === 0 ? {} : { memory: own }),
      };
    }
    case 'suspended':
      return withRecordedAnswer(execution, outcome);
    case 'failed':
      return outcome;
  }
}

/** What stores are to remember. What a replay repeats, those that outlive a run remember already. */
const memoryOfItsOwn = ({ replayed, wake: { run } }: ActivationContext, memory: readonly MemoryWrite[]) =>
  replayed?.type === 'recorded' ? memory.filter(({ store }) => runStoreName(run, store) !== undefined) : memory;

/** An output that somebody gave it stands for its work. */
function settleGivenOutput(
  worker: WorkerContext,
  execution: Execution,
  output: Message,
): Settlement | Promise<Settlement> {
  const { node } = execution.context;
  const outputs = [output];
  if (node === undefined) return produce(execution, outputs);
  return produceRouted(worker, execution, { outputs, silent: isSilent(execution.context) });
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
  const message = oversizeProblem([...outcome.outputs, ...(outcome.context ?? [])], `The output of node "${id}"`);
  return message === undefined ? outcome : { type: 'failed', error: { code: 'MESSAGE_TOO_LARGE', message } };
}

async function open(worker: WorkerContext, execution: Execution, node: PlanNode): Promise<Settlement> {
  const { units, statics } = await split(worker, execution.context, node);
  if (units.length === 0) {
    if (statics.length === 0) return produce(execution, []);
    return node.graph === undefined
      ? executeNode(worker, execution, { node, messages: statics })
      : call(execution, node, statics);
  }
  // A tree has nothing to reduce about a single message: it is the result.
  if (node.fanOut?.type === 'tree' && units.length === 1)
    return produceRouted(worker, execution, { outputs: units, silent: false });
  const { collector } = execution;
  return {
    type: 'split',
    statics: statics.map((one) => collector.add(one)),
    units: units.map((one) => collector.add(one)),
  };
}

async function call(execution: Execution, node: PlanNode, messages: readonly Message[]): Promise<Settlement> {
  const { context, collector, signal } = execution;
  const inner = context.plan.graphs.get(node.graph ?? '');
  if (inner === undefined) throw new NodeError('PLAN_INVALID', `The plan has no graph for node "${node.id}".`);
  const task = messages.length > 0 ? messages : [textMessage('user', '', 'SUBGRAPH')];
  return {
    type: 'called',
    task: task.map((one) => collector.add(withoutVariables(one))),
    presets: presetsOf(inner, (message) => collector.add(message)),
    ...(inner.termination === undefined
      ? {}
      : { observed: await observeLeaves(inner.termination, taskDelta(task), { cells: {}, signal }) }),
  };
}

type Completed = Extract<Settlement, { type: 'completed' }>;

/** Outputs that go nowhere by edges of their own. */
function produce({ context, collector, observation }: Execution, messages: readonly Message[]): Completed {
  const outputs = messages.map((one) =>
    // A message that came from nowhere, such as one that a node began with, comes from the node that passes it on.
    one.source === '' ? collector.addAs({ ...one, source: context.node?.id ?? '' }, one) : collector.add(one),
  );
  // What is stored already was said by somebody else.
  observation.messages = messages.filter(
    (one, at) => typeof outputs[at]?.body === 'number' && !isForwarded(context, one),
  );
  if (observation.closes === 'units') observation.messages = [];
  if (observation.closes === 'graph') observation.messages = messages.slice(-1);
  return { type: 'completed', outputs, routes: [] };
}

/** Whether somebody else has said it, and the node only adds to it, as nodes do that read and write memory. */
const isForwarded = ({ node }: Execution['context'], { source }: Message): boolean =>
  node?.forwards === true && source !== node.id;

/** Outputs on their way over the node's edges; silent ones are collected by the scope around instead. */
async function produceRouted(
  worker: WorkerContext,
  execution: Execution,
  { outputs: made, silent, ...produces }: NodeOutputs & { readonly silent: boolean },
): Promise<Completed> {
  const outputs = withUnitItems(made, execution.context);
  const produced = produce(execution, outputs);
  if (silent || outputs.length === 0) return produced;
  const { routes, warnings } = await route(worker, execution, { ...produces, outputs });
  return { ...produced, routes, ...(warnings.length === 0 ? {} : { warnings }) };
}

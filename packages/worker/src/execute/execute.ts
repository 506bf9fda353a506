import type { GraphPlan, Message, PlanNode, SplitterDefinition, Wait } from '@millrace/core';
import {
  assertFanOutFits,
  NodeError,
  observeLeaves,
  readBudgetAnswer,
  taskDelta,
  textMessage,
  textOf,
  withVariables,
} from '@millrace/core';
import { inSlices, UnrecoverableRunError } from '@millrace/runtime';
import type { ActivationAttempt } from '../context/activation-attempt.ts';
import type { ActivationContext } from '../context/activation-context.ts';
import { AttemptInterrupted } from '../context/interrupted.ts';
import { itemNamer } from '../context/items.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { executeNode } from './execute-node.ts';
import type { Completion, ExecutionResult } from './execution-result.ts';
import { completedWith } from './execution-result.ts';

/** Executes an activation: all of its node, or the part of it that the record names. */
export function execute(attempt: ActivationAttempt): ExecutionResult | Promise<ExecutionResult> {
  const { budgetAnswer } = attempt.context;
  return budgetAnswer === undefined ? executePart(attempt) : executeAfterAnswer(attempt, budgetAnswer);
}

/** Executes an activation after an answer about its budget, which may lead to another question. */
async function executeAfterAnswer(attempt: ActivationAttempt, budgetAnswer: Message): Promise<ExecutionResult> {
  const question = await applyBudgetAnswer(attempt.worker, attempt.context, budgetAnswer);
  return question === undefined ? executePart(attempt) : { type: 'suspended', wait: question };
}

const joined: ExecutionResult = { type: 'joined' };

function executePart(attempt: ActivationAttempt): ExecutionResult | Promise<ExecutionResult> {
  const { context } = attempt;
  const { node, record, input, output } = context;
  if (record.part === 'join') return joined;
  if (output !== undefined) return withGiven(context, output);
  if (node === undefined) return completedWith(context, [majorityVote(input)], { silent: true, closes: undefined });
  switch (record.part) {
    case 'whole':
    case 'exit':
      return executeNode(attempt, { node, input, silent: isSilent(context) });
    case 'unit':
      return executeOrCall(attempt, node, input);
    case 'open':
      return node.fanOut === undefined ? callGraph(attempt, node, input) : openFanOut(attempt, node);
    case 'close':
      return closeNode(context, node, isSilent(context));
  }
}

/** Completes an activation with the output of a fork. The journal of a fork names it; that of a replay has it only here. */
function withGiven(context: ActivationContext, output: Message): Completion {
  const completed = completedWith(context, [output], { silent: isSilent(context), closes: undefined });
  return context.record.output === undefined ? { ...completed, given: true } : completed;
}

/** Returns whether the outputs of an activation take no edges, see {@link Completion}. */
const isSilent = ({ scope, graph, record }: ActivationContext): boolean =>
  scope.type === 'tree' || graph.voting || record.part === 'exit';

const executeOrCall = (
  attempt: ActivationAttempt,
  node: PlanNode,
  input: readonly Message[],
): ExecutionResult | Promise<ExecutionResult> =>
  node.graph === undefined
    ? executeNode(attempt, { node, input, silent: isSilent(attempt.context) })
    : callGraph(attempt, node, input);

async function openFanOut(attempt: ActivationAttempt, node: PlanNode): Promise<ExecutionResult> {
  const { worker, context } = attempt;
  const { units, statics } = await split(worker, context, node);
  if (units.length === 0 && statics.length === 0)
    return completedWith(context, [], { silent: true, closes: undefined });
  if (units.length === 0) return executeOrCall(attempt, node, statics);
  // A tree has nothing to reduce about a single message: it is the result.
  if (node.fanOut?.type === 'tree' && units.length === 1)
    return completedWith(context, units, { silent: false, closes: undefined });
  return { type: 'split', statics, units };
}

/**
 * Applies the answer to an activation's question for more money. Returns the question to ask again when the answer makes no
 * sense; otherwise the activation is executed, without the answer, which is none to a question of the node.
 */
export async function applyBudgetAnswer(
  worker: WorkerContext,
  { wake, record }: ActivationContext,
  answer: Message,
): Promise<Wait | undefined> {
  const decision = readBudgetAnswer(textOf(answer));
  if (decision === undefined && record.wait !== undefined) {
    const prompt = `That was not understood. ${record.wait.prompt.replace(/^That was not understood. /, '')}`;
    return { ...record.wait, prompt };
  }
  if (decision === undefined) return undefined;
  const { run, activation, token } = wake;
  const submitted = worker.runs.submit(run, { type: 'budget', activation, token, answer: decision });
  const verdict = await submitted.catch((error: unknown) => {
    throw error instanceof UnrecoverableRunError
      ? error
      : new AttemptInterrupted(`run ${run} could not be reached`, error);
  });
  if (verdict.type === 'refused') throw new AttemptInterrupted(verdict.message);
  if (decision === 'stop') throw new AttemptInterrupted('a person stopped the run');
  return undefined;
}

/** Enters the graph of a node with these messages as its task; its termination observes the task. */
async function callGraph(
  attempt: ActivationAttempt,
  node: PlanNode,
  messages: readonly Message[],
): Promise<ExecutionResult> {
  const graph = attempt.context.plan.graphs.get(node.graph ?? '');
  if (graph === undefined) throw new NodeError('PLAN_INVALID', `The plan has no graph for node "${node.id}".`);
  const task = messages.length > 0 ? messages : [textMessage('user', '', 'SUBGRAPH')];
  const { termination } = graph;
  if (termination === undefined)
    return { type: 'called', graph, task: task.map(withoutVariables), observed: undefined };
  const observed = await observeLeaves(termination, taskDelta(task), { cells: {}, signal: attempt.signal });
  return { type: 'called', graph, task: task.map(withoutVariables), observed };
}

/** Completes a node with the last layer of its units, or with the result of the graph that it has called. */
function closeNode(context: ActivationContext, node: PlanNode, silent: boolean): Completion {
  const { plan, record, input } = context;
  if (record.from?.startsWith('units/')) return completedWith(context, input, { silent, closes: 'units' });
  const isVoting = plan.graphs.get(node.graph ?? '')?.voting === true;
  const outputs = resultOf(node, isVoting, input.map(withoutVariables));
  const { stop } = record;
  const marked = stop === undefined ? outputs : outputs.map((one) => withStop(one, stop));
  return completedWith(context, marked, { silent, closes: 'graph' });
}

const withStop = (output: Message, { text, code }: { readonly text: string; readonly code: string }): Message => ({
  ...output,
  metadata: { ...output.metadata, stop_reason: text, stop_code: code },
});

/** Removes the variables of a message, which stay in the execution of the graph that it is part of. */
const withoutVariables = (message: Message): Message => withVariables(message, {});

/** Returns the result of a graph, which always has one: an empty message if need be. */
function resultOf(node: PlanNode, isVoting: boolean, messages: readonly Message[]): readonly Message[] {
  if (isVoting) return [majorityVote(messages)];
  return messages.length > 0 ? messages : [textMessage('assistant', '', node.id)];
}

type Splitter = ReturnType<SplitterDefinition['compile']>;
const prepared = new WeakMap<GraphPlan, Map<number, Splitter>>();

/** Cuts the dynamic inputs of a node into units; the others go to every unit as they are. */
async function split(
  worker: WorkerContext,
  { plan, graph, input, refs }: ActivationContext,
  node: PlanNode,
): Promise<{ readonly units: readonly Message[]; readonly statics: readonly Message[] }> {
  const { fanOut } = node;
  if (fanOut?.conflict !== undefined)
    throw new NodeError('FAN_OUT_CONFLICT', `Node "${node.id}" cannot be fanned out: ${fanOut.conflict}.`);
  const dynamics = input.filter((_, at) => refs[at]?.dynamic);
  const statics = input.filter((_, at) => !refs[at]?.dynamic);
  if (dynamics.length === 0 || fanOut === undefined) return { units: [], statics };
  const ofGraph = prepared.get(graph) ?? new Map<number, Splitter>();
  prepared.set(graph, ofGraph);
  let splitter = ofGraph.get(node.index);
  if (splitter === undefined) {
    const definition = worker.vocabulary.splitters.get(fanOut.split.type);
    if (definition === undefined)
      throw new NodeError('PLAN_INVALID', `This worker does not know the split type "${fanOut.split.type}".`);
    splitter = definition.compile(fanOut.split.config, { compat: plan.compat });
    ofGraph.set(node.index, splitter);
  }
  const named = itemNamer(fanOut);
  const units: Message[] = [];
  await inSlices(await splitter(dynamics, worker.runs.limits.fanOutItems), (unit) => units.push(named(unit)));
  assertFanOutFits(units.length, worker.runs.limits);
  return { units, statics };
}

/** The most frequent text wins, compared letter by letter; among equals the first. Blank votes only count when there are no others. */
function majorityVote(votes: readonly Message[]): Message {
  const texts = votes.map(textOf);
  const cast = texts.some((text) => text.trim() !== '') ? texts.filter((text) => text.trim() !== '') : texts;
  const counts = new Map<string, number>();
  for (const text of cast) counts.set(text, (counts.get(text) ?? 0) + 1);
  let winner = '';
  for (const [text, count] of counts) if (count > (counts.get(winner) ?? 0)) winner = text;
  return textMessage('assistant', winner, 'MAJORITY_VOTE');
}

import type { Message, PlanNode } from '@millrace/core';
import { NodeError, observeLeaves, taskDelta, textMessage, withVariables } from '@millrace/core';
import type { ActivationAttempt } from '../context/activation-attempt.ts';
import type { ActivationContext } from '../context/activation-context.ts';
import type { Completed, Executed } from './executed.ts';
import { completedWith } from './executed.ts';
import { majorityVote } from './vote.ts';

/** Enters the graph of a node with these messages as its task; its termination observes the task. */
export async function callGraph(
  attempt: ActivationAttempt,
  node: PlanNode,
  messages: readonly Message[],
): Promise<Executed> {
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
export function closeNode(context: ActivationContext, node: PlanNode, silent: boolean): Completed {
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

import type { Message, PlanNode } from '@millrace/core';
import type { ActivationAttempt } from '../context/activation-attempt.ts';
import type { ActivationContext } from '../context/activation-context.ts';
import { applyBudgetAnswer } from './budget-answer.ts';
import { callGraph, closeNode } from './call-graph.ts';
import { executeNode } from './execute-node.ts';
import type { Completed, Executed } from './executed.ts';
import { completedWith } from './executed.ts';
import { assertRecorded } from './replay-steps.ts';
import { split } from './split.ts';
import { majorityVote } from './vote.ts';

/** Executes an activation: all of its node, or the part of it that the record names. */
export function execute(attempt: ActivationAttempt): Executed | Promise<Executed> {
  const { budgetAnswer } = attempt.context;
  return budgetAnswer === undefined ? executePart(attempt) : executeAfterAnswer(attempt, budgetAnswer);
}

/** Executes an activation after an answer about its budget, which may lead to another question. */
async function executeAfterAnswer(attempt: ActivationAttempt, budgetAnswer: Message): Promise<Executed> {
  const question = await applyBudgetAnswer(attempt.worker, attempt.context, budgetAnswer);
  return question === undefined ? executePart(attempt) : { type: 'suspended', wait: question };
}

function executePart(attempt: ActivationAttempt): Executed | Promise<Executed> {
  const { context } = attempt;
  const { node, record, input, output } = context;
  assertRecorded(context);
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
function withGiven(context: ActivationContext, output: Message): Completed {
  const completed = completedWith(context, [output], { silent: isSilent(context), closes: undefined });
  return context.record.output === undefined ? { ...completed, given: true } : completed;
}

/** Returns whether the outputs of an activation take no edges, see {@link Completed}. */
const isSilent = ({ scope, graph, record }: ActivationContext): boolean =>
  scope.type === 'tree' || graph.voting || record.part === 'exit';

const executeOrCall = (
  attempt: ActivationAttempt,
  node: PlanNode,
  input: readonly Message[],
): Executed | Promise<Executed> =>
  node.graph === undefined
    ? executeNode(attempt, { node, input, silent: isSilent(attempt.context) })
    : callGraph(attempt, node, input);

async function openFanOut(attempt: ActivationAttempt, node: PlanNode): Promise<Executed> {
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

import { linkedController } from '@millrace/catalog';
import type { Failure, GraphPlan, MemoryWrite, Message, NodeDefinition, Outcome, PlanNode } from '@millrace/core';
import { mergeVariables, NodeError, oversizeProblem, runStoreName, templateNames, textMessage } from '@millrace/core';
import type { Clock } from '@millrace/runtime';
import type { ActivationAttempt } from '../context/activation-attempt.ts';
import type { ActivationContext } from '../context/activation-context.ts';
import { fillConfig, withUnitItems } from '../context/items.ts';
import { NodeHost } from '../host/node-host.ts';
import type { Completion, ExecutionResult } from './execution-result.ts';
import { withRecordedAnswer } from './replay-steps.ts';

/** A node with its input, as it is executed in one activation. */
interface NodeExecution {
  readonly node: PlanNode;
  readonly input: readonly Message[];
  readonly silent: boolean;
}

/** A node execution with its definition and its configuration, filled in. */
interface PreparedExecution extends NodeExecution {
  readonly definition: NodeDefinition;
  readonly config: unknown;
}

/** Executes a node and applies its error policy. */
export async function executeNode(attempt: ActivationAttempt, execution: NodeExecution): Promise<ExecutionResult> {
  const { context, worker } = attempt;
  const { node, input, silent } = execution;
  const definition = worker.vocabulary.nodes.get(node.type);
  if (definition === undefined)
    throw new NodeError('NODE_TYPE_MISSING', `This worker does not know the node type "${node.type}".`);
  const config = configOf(definition, context, execution);
  const limit = node.timeoutSeconds === undefined ? undefined : timeLimit(node, attempt);
  const host = new NodeHost(attempt, node, limit ?? attempt);
  let outcome: Outcome;
  try {
    const run = () => definition.execute(config, input, host);
    outcome = fitting(await (limit === undefined ? run() : limit.race(run)), node);
  } catch (error) {
    outcome = failedOutcome(attempt, error);
  } finally {
    const closing = host.close();
    if (closing !== undefined) await closing;
  }
  const result = { memory: memoryOf(context, host.memory), activity: host.activity, closes: undefined };
  switch (outcome.type) {
    case 'completed':
      return completedBy(context, result, {
        outputs: outcome.outputs,
        context: outcome.context,
        state: outcome.state,
        failure: undefined,
        silent,
        failed: false,
      });
    case 'suspended':
      return withRecordedAnswer(context, outcome);
    case 'postponed':
      return outcome;
    case 'failed':
      return recovered(context, result, { node, input, silent, definition, config, failure: outcome.error });
  }
}

/**
 * Goes on from an output that a condition or processor of an edge failed on, as if its node had failed. Throws the error if the
 * node has no other error policy, if it is a fault, or if the output describes a failure already.
 */
export function recoverFromRouting(
  { context, worker }: ActivationAttempt,
  executed: Completion,
  error: unknown,
): ExecutionResult {
  const { node, input } = context;
  const definition = worker.vocabulary.nodes.get(node?.type ?? '');
  if (node === undefined || definition === undefined || executed.failure !== undefined) throw error;
  if (!isNodeFailure(error)) throw error;
  const { silent } = executed;
  const config = configOf(definition, context, { node, input, silent });
  const failure = { code: error.code, message: error.message };
  const settled = recovered(context, executed, { node, input, silent, definition, config, failure });
  if (settled.type === 'failed') throw error;
  return settled;
}

/** Returns the configuration of a node, with variables and items filled in where its type allows for it. */
function configOf({ templates }: NodeDefinition, context: ActivationContext, { node, input }: NodeExecution): unknown {
  if (templates === undefined) return node.config;
  return fillConfig(node.config, templates, { ...templateNames(mergeVariables(input)), ...context.items });
}

/** Faults of the workflow or of the worker, which are no failure of the node, whatever its policy says. */
const beyondPolicy: ReadonlySet<string> = new Set([
  'APPROVAL_MISMATCH',
  'APPROVAL_USED',
  'PACKAGE_MISSING',
  'PROVIDER_UNKNOWN',
  'PRICE_UNBOUNDED',
  'PRICE_UNKNOWN',
  'REPLAY_DIVERGED',
  'REPLAY_TOOL_UNKNOWN',
  // The target must not work on something else, such as the text of the failure.
  'E_PICK_MISSING',
]);

const isNodeFailure = (error: unknown): error is NodeError =>
  error instanceof NodeError && !beyondPolicy.has(error.code);

function failedOutcome(attempt: ActivationAttempt, error: unknown): Outcome {
  if (attempt.isInterruptedBy(error) || !isNodeFailure(error)) throw error;
  return { type: 'failed', error: { code: error.code, message: error.message } };
}

/** Fails a node whose output is too large to be stored. */
function fitting(outcome: Outcome, { id }: PlanNode): Outcome {
  if (outcome.type !== 'completed') return outcome;
  const { outputs, context } = outcome;
  const messages = context === undefined ? outputs : [...outputs, ...context];
  const message = oversizeProblem(messages, `The output of node "${id}"`);
  return message === undefined ? outcome : { type: 'failed', error: { code: 'MESSAGE_TOO_LARGE', message } };
}

type CompletionParts = Pick<Completion, 'outputs' | 'silent' | 'failed'> &
  Partial<Pick<Completion, 'context' | 'failure' | 'state'>>;

const completedBy = (
  context: ActivationContext,
  { memory, activity, closes }: Pick<Completion, 'memory' | 'activity' | 'closes'>,
  made: CompletionParts,
): Completion => ({
  type: 'completed',
  outputs: withUnitItems(made.outputs, context),
  context: made.context,
  silent: made.silent,
  failed: made.failed,
  failure: made.failure,
  state: made.state,
  memory,
  activity,
  closes,
});

/** Stores that outlive a run remember already what a replay of the run repeats, and nothing of one that tries a change out. */
const memoryOf = ({ replayed, wake: { run } }: ActivationContext, memory: readonly MemoryWrite[]) =>
  replayed === undefined || replayed.type === 'live'
    ? memory
    : memory.filter(({ store }) => runStoreName(run, store) !== undefined);

/** Goes on from the failure of a node as its edges and its error policy say. */
function recovered(
  context: ActivationContext,
  result: Pick<Completion, 'memory' | 'activity' | 'closes'>,
  { node, definition, config, input, failure, silent }: PreparedExecution & { readonly failure: Failure },
): ExecutionResult {
  const catches = catchesFailure(context.graph, node);
  if (node.onError === 'fail' && !catches) return { type: 'failed', error: failure };
  if (node.onError === 'continue' && !catches)
    return completedBy(context, result, { outputs: [], failure, silent, failed: false });
  const text = definition.failureText?.(config, input, failure) ?? failure.message;
  const message = textMessage('assistant', text, node.id);
  // As the original engine has it, a failure leaves nothing but its text.
  const output = context.plan.compat ? message : { ...message, metadata: { failure } };
  return completedBy(context, result, { outputs: [output], failure, silent, failed: catches });
}

/** Returns whether the failure of a node has edges. */
const catchesFailure = (graph: GraphPlan, node: PlanNode): boolean =>
  node.out.some((edge) => graph.edges[edge]?.onError === true);

/** A signal that is aborted with the outer one, or when the node's time is over. */
interface TimeLimit {
  readonly signal: AbortSignal;
  /** Returns the result of the work; throws NODE_TIMEOUT when that takes too long, even if the work ignores the signal. */
  race<T>(work: () => T | Promise<T>): T | Promise<T>;
}

/** The time that one attempt at a node may take. */
export function timeLimit(
  { id, timeoutSeconds }: Pick<PlanNode, 'id' | 'timeoutSeconds'>,
  { signal: outer, clock }: { readonly signal: AbortSignal; readonly clock: Pick<Clock, 'after'> },
): TimeLimit {
  if (timeoutSeconds === undefined) return { signal: outer, race: (work) => work() };
  const limit = linkedController(outer);
  return {
    signal: limit.signal,
    async race(work) {
      const over = new NodeError('NODE_TIMEOUT', `Node "${id}" took longer than its ${timeoutSeconds} seconds.`);
      let cancel: (() => void) | undefined;
      const late = new Promise<never>((_, reject) => {
        cancel = clock.after(timeoutSeconds * 1000, () => {
          reject(over);
          limit.abort(over);
        });
      });
      try {
        return await Promise.race([work(), late]);
      } finally {
        cancel?.();
        limit.unlink();
      }
    },
  };
}

import type {
  FileChange,
  Message,
  MessageBody,
  NewMessage,
  NewRoute,
  ScopeObservation,
  SettleCommand,
  Settlement,
} from '@millrace/core';
import { failureOf, NodeError, oversizeProblem, presetsOf } from '@millrace/core';
import { UnrecoverableRunError } from '@millrace/runtime';
import type { ActivationAttempt } from '../context/activation-attempt.ts';
import { AttemptPostponed } from '../context/interrupted.ts';
import type { Completion, ExecutionResult } from '../execute/execution-result.ts';
import type { StoredInput } from '../route/body-collector.ts';
import { BodyCollector, storedInput } from '../route/body-collector.ts';
import type { RoutedOutput, RoutingResult } from '../route/route.ts';

/** The result of an attempt: the command that settles its activation, and the execution that it is made of, if it completed. */
export interface AttemptResult {
  readonly command: SettleCommand;
  readonly completed: Completion | undefined;
}

/** The parts of a result, in the order in which they are made. */
interface ResultParts {
  readonly executed: ExecutionResult;
  readonly routed: RoutingResult;
  readonly observed: readonly ScopeObservation[] | undefined;
}

/**
 * Makes the result of an attempt of its parts, synchronously when no file may have changed and the input is short. Throws
 * NodeError when a message is too large to be stored.
 */
export function resultOf(attempt: ActivationAttempt, parts: ResultParts): AttemptResult | Promise<AttemptResult> {
  const stored = storedInput(attempt.context.input, attempt.context.refs);
  return stored instanceof Promise
    ? stored.then((known) => resultWith(attempt, parts, known))
    : resultWith(attempt, parts, stored);
}

function resultWith(
  attempt: ActivationAttempt,
  parts: ResultParts,
  stored: StoredInput,
): AttemptResult | Promise<AttemptResult> {
  const { executed } = parts;
  const { node } = attempt.context;
  const collector = new BodyCollector(stored);
  const settlement = settlementOf(collector, parts, node?.id ?? '');
  // Processors and splitters may make messages, too.
  const problem = oversizeProblem(collector.bodies, `What node "${node?.id ?? ''}" hands on`);
  if (problem !== undefined) throw new NodeError('MESSAGE_TOO_LARGE', problem);
  const withChanges = (changes: readonly FileChange[]): AttemptResult => ({
    command: settleCommand(attempt, settlement, { changes, bodies: collector.bodies }),
    completed: executed.type === 'completed' ? executed : undefined,
  });
  return attempt.files === undefined ? withChanges([]) : attempt.files.changes().then(withChanges);
}

/** Makes the result of an attempt that threw: its activation is postponed, or has failed. */
export async function failedResult(attempt: ActivationAttempt, error: unknown): Promise<AttemptResult> {
  const settlement: Settlement =
    error instanceof AttemptPostponed
      ? { type: 'postponed', until: Math.ceil(error.until) }
      : { type: 'failed', error: failureIn(attempt.worker.mask.hideInError(error)) };
  const changes = await changesLeft(attempt);
  return { command: settleCommand(attempt, settlement, { changes, bodies: [] }), completed: undefined };
}

/** A step that can never be stored names its own failure. */
const failureIn = (error: unknown) => (error instanceof UnrecoverableRunError ? error.failure : failureOf(error));

/** Returns the file changes of a node that failed or continues later, except those that are the reason of its failure. */
async function changesLeft(attempt: ActivationAttempt): Promise<readonly FileChange[]> {
  if (attempt.files === undefined) return [];
  try {
    return await attempt.files.changes();
  } catch (error) {
    if (error instanceof NodeError) return [];
    throw error;
  }
}

interface StoredContents {
  readonly changes: readonly FileChange[];
  readonly bodies: readonly MessageBody[];
}

function settleCommand(
  { wake, worker, completedSteps }: ActivationAttempt,
  settlement: Settlement,
  { changes, bodies }: StoredContents,
): SettleCommand {
  return {
    type: 'settle',
    activation: wake.activation,
    token: wake.token,
    result: worker.mask.hideIn(settlement),
    ...(changes.length === 0 ? {} : { files: changes }),
    ...(completedSteps === 0 ? {} : { steps: completedSteps }),
    bodies: worker.mask.hideIn(bodies),
  };
}

function settlementOf(collector: BodyCollector, { executed, routed, observed }: ResultParts, node: string): Settlement {
  const add = (message: Message): NewMessage => collector.add(message);
  switch (executed.type) {
    case 'completed':
      return completedSettlement(collector, executed, { routed, observed, node });
    case 'called':
      return {
        type: 'called',
        task: executed.task.map(add),
        presets: presetsOf(executed.graph, add),
        ...(executed.observed === undefined ? {} : { observed: executed.observed }),
      };
    case 'split':
      return {
        type: 'split',
        statics: executed.statics.map(add),
        ...(executed.before === undefined ? {} : { before: executed.before }),
        units: executed.units.map(add),
      };
    case 'joined':
      return { type: 'joined' };
    case 'suspended': {
      const { wait, answer, calls } = executed;
      if (calls !== undefined) return { type: 'suspended', wait, calls };
      return answer === undefined ? { type: 'suspended', wait } : { type: 'suspended', wait, answer: add(answer) };
    }
    case 'postponed':
      return { type: 'postponed', until: Math.ceil(executed.until) };
    case 'failed':
      return executed;
  }
}

type CompletionContext = Omit<ResultParts, 'executed'> & { readonly node: string };

function completedSettlement(
  collector: BodyCollector,
  { outputs, state, failure, memory, given, activity }: Completion,
  { routed: { routes, warnings }, observed, node }: CompletionContext,
): Settlement {
  const warned = activity.warnings.length === 0 ? warnings : [...activity.warnings, ...warnings];
  return {
    type: 'completed',
    // A message that came from nowhere, such as one that a node began with, comes from the node that passes it on.
    outputs: outputs.map((message) => {
      const { role, source, keep } = message;
      return collector.deliver({ message, role, source: source === '' ? node : source, keep });
    }),
    routes: routes.map((one) => routeOf(collector, one)),
    ...(warned.length === 0 ? {} : { warnings: warned }),
    ...(state === undefined ? {} : { state }),
    ...(failure === undefined ? {} : { failure }),
    ...(given ? { given } : {}),
    ...(memory.length === 0 ? {} : { memory }),
    ...(observed === undefined ? {} : { observed }),
  };
}

function routeOf(collector: BodyCollector, { edge, output, dropped, delivery }: RoutedOutput): NewRoute {
  if (delivery !== undefined) return { edge, output, message: collector.deliver(delivery) };
  return dropped ? { edge, output, dropped } : { edge, output };
}

import type { ConditionInput } from '../../definitions/define.ts';
import type { Failure } from '../../model/failure.ts';
import type { TerminationDelta } from '../../model/messages/delta.ts';
import { taskSource, toDeltaMessage } from '../../model/messages/delta.ts';
import type { MessageBody } from '../../model/messages/message.ts';
import type { PlanCondition, PlanLeaf, PlanTermination } from '../../plan/termination.ts';
import type { ConditionObservations } from '../commands/settlement.ts';
import type { ConditionState, ConditionStates, MetCondition } from '../records/stop.ts';

/** Input of one step of a termination. */
export interface TreeStepInput extends Omit<ConditionInput<unknown>, 'observed'> {
  /** Observations of the leaves, by path. */
  readonly observed: Readonly<Record<string, unknown>>;
}

/** Result of one step of a termination. */
export interface TreeStepResult {
  /** States of conditions that are new or have changed. */
  readonly changed: ConditionStates;
  /** The leaves that satisfy the whole termination. */
  readonly met?: readonly MetCondition[];
  /** The failure of a condition that could not be evaluated and makes the run fail. */
  readonly failure?: Failure;
  /** A state that a condition was observed with has changed since. */
  readonly moved: boolean;
}

/** Thrown when a termination is stepped that is satisfied already; it must be reset first. */
export class TerminationReachedError extends Error {
  /** The leaves that satisfy it. */
  readonly met: readonly MetCondition[];
  constructor(met: readonly MetCondition[]) {
    super(`The termination is already satisfied (${stopReasonText(met)}). Reset it before the next step.`);
    this.name = 'TerminationReachedError';
    this.met = met;
  }
}

/**
 * Steps a termination. All children of an `any_of` are stepped, so that they continue counting; of an `all_of`, those that
 * are not satisfied yet. A condition that is satisfied does not change any more. Throws TerminationReachedError if the
 * whole termination is satisfied already.
 */
export function stepTree(tree: PlanCondition, cells: ConditionStates, input: TreeStepInput): TreeStepResult {
  const before = cells[tree.path]?.met;
  if (before !== undefined) throw new TerminationReachedError(before);
  const stepping: TreeStep = { cells, input, changed: {}, moved: false };
  const met = step(tree, stepping);
  const { changed, failure, moved } = stepping;
  return {
    changed,
    moved,
    ...(met === undefined ? {} : { met }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** Returns the text that tells people why a termination is satisfied. */
export const stopReasonText = (met: readonly MetCondition[]): string =>
  met.map(({ id, text }) => (id === undefined ? text : `${id}: ${text}`)).join(', ');

/**
 * Returns the observations of a termination's leaves in a delta. Runs in the worker, which has the texts; `decide`
 * steps the termination with the observations.
 */
export async function observeLeaves(
  { leaves }: PlanTermination,
  delta: TerminationDelta,
  { cells, signal }: { readonly cells: ConditionStates; readonly signal: AbortSignal },
): Promise<ConditionObservations> {
  const observed: Record<string, unknown> = {};
  for (const { path, config, definition } of leaves) {
    const condition = cells[path];
    if (definition.observe === undefined || condition?.met !== undefined) continue;
    const observation = await definition.observe(config, delta, { state: condition?.state, signal });
    if (observation !== undefined) observed[path] = observation;
  }
  return observed;
}

/** Returns the task as a delta for terminations: the first delta of a segment, or of a call. */
export const taskDelta = (task: readonly MessageBody[]): TerminationDelta => ({
  items: task.map((message) => toDeltaMessage(message, taskSource)),
  tokens: { prompt: 0, completion: 0 },
  source: taskSource,
  turn: false,
  task: true,
  nested: false,
});

interface TreeStep {
  readonly cells: ConditionStates;
  readonly input: TreeStepInput;
  readonly changed: Record<string, ConditionState>;
  failure?: Failure;
  moved: boolean;
}

/** Returns the leaves that satisfy this condition; undefined while it is not satisfied. */
function step(condition: PlanCondition, stepping: TreeStep): readonly MetCondition[] | undefined {
  const state = stepping.cells[condition.path];
  if (state?.met !== undefined) return state.met;
  const met = condition.type === 'leaf' ? stepLeaf(condition, stepping) : stepGroup(condition, stepping);
  if (met !== undefined) stepping.changed[condition.path] = { ...(stepping.changed[condition.path] ?? state), met };
  return met;
}

function stepGroup(
  { type, path, of }: Exclude<PlanCondition, PlanLeaf>,
  stepping: TreeStep,
): readonly MetCondition[] | undefined {
  const open = of.filter((one) => stepping.cells[one.path]?.met === undefined);
  const results = open.map((one) => step(one, stepping));
  const met = results.flatMap((one) => one ?? []);
  if (type === 'any_of') return met.length > 0 ? met : undefined;
  const collected = [...(stepping.cells[path]?.collected ?? []), ...met];
  if (met.length > 0) stepping.changed[path] = { collected };
  return results.every((one) => one !== undefined) ? collected : undefined;
}

function stepLeaf(leaf: PlanLeaf, stepping: TreeStep): readonly MetCondition[] | undefined {
  const { path, definition, config, name, id, cancels } = leaf;
  const { observed, elapsedMs, pausedMs } = stepping.input;
  const own = observed[path];
  const before = stepping.cells[path]?.state;
  const stepped = definition.step(config, before, {
    elapsedMs,
    pausedMs,
    ...(own === undefined ? {} : { observed: own }),
  });
  if (stepped.type === 'moved') stepping.moved = true;
  if (stepped.type === 'failed') stepping.failure ??= stepped.error;
  if (stepped.type !== 'stepped') return undefined;
  if (stepped.state !== undefined && stepped.state !== before) stepping.changed[path] = { state: stepped.state };
  if (stepped.reason === undefined) return undefined;
  return [
    {
      path,
      type: name,
      text: stepped.reason,
      ...(id === undefined ? {} : { id }),
      ...(cancels ? { cancels: true as const } : {}),
    },
  ];
}

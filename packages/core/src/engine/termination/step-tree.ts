import type { ConditionInput } from '../../definitions/define-termination.ts';
import type { Failure } from '../../model/outcome.ts';
import type { PlanCondition, PlanLeaf } from '../../plan/termination.ts';
import type { ConditionState, ConditionStates, MetCondition } from '../records/stop.ts';

/** What may change a tree. */
export interface TreeStepInput extends Omit<ConditionInput<unknown>, 'observed'> {
  /** What the leaves have observed, by path. */
  readonly observed: Readonly<Record<string, unknown>>;
}

/** What it changed. */
export interface TreeStepResult {
  /** States of conditions that are new or have changed. */
  readonly changed: ConditionStates;
  /** The leaves by which the whole tree is met. */
  readonly met?: readonly MetCondition[];
  /** A condition could not be asked, and wants the run to fail for it. */
  readonly failure?: Failure;
  /** Somebody else changed the state that a condition was observed with. */
  readonly moved: boolean;
}

/** A tree that is met was to be stepped: it has to begin anew before. */
export class TerminationReachedError extends Error {
  /** The leaves by which it is met. */
  readonly met: readonly MetCondition[];
  constructor(met: readonly MetCondition[]) {
    super(`The termination has been reached already (${stopReasonText(met)}); let it begin anew before it is stepped.`);
    this.name = 'TerminationReachedError';
    this.met = met;
  }
}

/**
 * Steps a tree. All children of an `any_of` are stepped, so that they go on counting; of an `all_of` those that are not
 * met yet, so that a condition that was met stays as it was. A place that is met is frozen. Throws TerminationReachedError
 * when the whole tree is.
 */
export function stepTree(tree: PlanCondition, cells: ConditionStates, input: TreeStepInput): TreeStepResult {
  const before = cells[tree.path]?.met;
  if (before !== undefined) throw new TerminationReachedError(before);
  const stepping: Stepping = { cells, input, changed: {}, moved: false };
  const met = step(tree, stepping);
  const { changed, failure, moved } = stepping;
  return {
    changed,
    moved,
    ...(met === undefined ? {} : { met }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** The words in which people read why a tree is met. */
export const stopReasonText = (met: readonly MetCondition[]): string =>
  met.map(({ id, text }) => (id === undefined ? text : `${id}: ${text}`)).join(', ');

interface Stepping {
  readonly cells: ConditionStates;
  readonly input: TreeStepInput;
  readonly changed: Record<string, ConditionState>;
  failure?: Failure;
  moved: boolean;
}

/** The leaves by which this place is met; undefined while it is not. */
function step(condition: PlanCondition, stepping: Stepping): readonly MetCondition[] | undefined {
  const cell = stepping.cells[condition.path];
  if (cell?.met !== undefined) return cell.met;
  const met = condition.type === 'leaf' ? stepLeaf(condition, stepping) : stepGroup(condition, stepping);
  if (met !== undefined) stepping.changed[condition.path] = { ...(stepping.changed[condition.path] ?? cell), met };
  return met;
}

function stepGroup(
  { type, path, of }: Exclude<PlanCondition, PlanLeaf>,
  stepping: Stepping,
): readonly MetCondition[] | undefined {
  const open = of.filter((one) => stepping.cells[one.path]?.met === undefined);
  const news = open.map((one) => step(one, stepping));
  const met = news.flatMap((one) => one ?? []);
  if (type === 'any_of') return met.length > 0 ? met : undefined;
  const collected = [...(stepping.cells[path]?.collected ?? []), ...met];
  if (met.length > 0) stepping.changed[path] = { collected };
  return news.every((one) => one !== undefined) ? collected : undefined;
}

function stepLeaf(leaf: PlanLeaf, stepping: Stepping): readonly MetCondition[] | undefined {
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

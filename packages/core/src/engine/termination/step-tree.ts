import type { TerminationMoment } from '../../definitions/define-termination.ts';
import type { Failure } from '../../model/outcome.ts';
import type { PlanCondition, PlanLeaf } from '../../plan/termination.ts';
import type { MetLeaf, TerminationCell, TerminationCells } from '../records/stop.ts';

/** What may change a tree. */
export interface TerminationInput extends Omit<TerminationMoment<unknown>, 'observed'> {
  /** What the leaves have observed, by path. */
  readonly observed: Readonly<Record<string, unknown>>;
}

/** What it changed. */
export interface SteppedTree {
  /** Cells that are new or other than before. */
  readonly changed: TerminationCells;
  /** The leaves by which the whole tree is met. */
  readonly met?: readonly MetLeaf[];
  /** A condition could not be asked, and wants the run to fail for it. */
  readonly failure?: Failure;
  /** Somebody else changed the state that a condition was observed with. */
  readonly moved: boolean;
}

/** A tree that is met was to be stepped: it has to begin anew before. */
export class TerminationReachedError extends Error {
  /** The leaves by which it is met. */
  readonly met: readonly MetLeaf[];
  constructor(met: readonly MetLeaf[]) {
    super(`The termination has been reached already (${reasonOf(met)}); let it begin anew before it is stepped.`);
    this.name = 'TerminationReachedError';
    this.met = met;
  }
}

/**
 * Steps a tree. All children of an `any_of` are stepped, so that they go on counting; of an `all_of` those that are not
 * met yet, so that a condition that was met stays as it was. A place that is met is frozen. Throws TerminationReachedError
 * when the whole tree is.
 */
export function stepTree(tree: PlanCondition, cells: TerminationCells, input: TerminationInput): SteppedTree {
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
export const reasonOf = (met: readonly MetLeaf[]): string =>
  met.map(({ id, text }) => (id === undefined ? text : `${id}: ${text}`)).join(', ');

interface Stepping {
  readonly cells: TerminationCells;
  readonly input: TerminationInput;
  readonly changed: Record<string, TerminationCell>;
  failure?: Failure;
  moved: boolean;
}

/** The leaves by which this place is met; undefined while it is not. */
function step(condition: PlanCondition, stepping: Stepping): readonly MetLeaf[] | undefined {
  const cell = stepping.cells[condition.path];
  if (cell?.met !== undefined) return cell.met;
  const met = condition.type === 'leaf' ? stepLeaf(condition, stepping) : stepGroup(condition, stepping);
  if (met !== undefined) stepping.changed[condition.path] = { ...(stepping.changed[condition.path] ?? cell), met };
  return met;
}

function stepGroup(
  { type, path, of }: Exclude<PlanCondition, PlanLeaf>,
  stepping: Stepping,
): readonly MetLeaf[] | undefined {
  const open = of.filter((one) => stepping.cells[one.path]?.met === undefined);
  const news = open.map((one) => step(one, stepping));
  const met = news.flatMap((one) => one ?? []);
  if (type === 'any_of') return met.length > 0 ? met : undefined;
  const collected = [...(stepping.cells[path]?.collected ?? []), ...met];
  if (met.length > 0) stepping.changed[path] = { collected };
  return news.every((one) => one !== undefined) ? collected : undefined;
}

function stepLeaf(leaf: PlanLeaf, stepping: Stepping): readonly MetLeaf[] | undefined {
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

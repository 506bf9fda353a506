import type { TerminationDefinition, Vocabulary } from '../definitions/define.ts';
import type { InFlightPolicy, Termination, TerminationCondition } from '../workflow/document/workflow.ts';

/** A condition of a compiled termination. Paths such as `$.0.1` identify it and its state. */
export type PlanCondition =
  | {
      readonly type: 'any_of' | 'all_of';
      readonly path: string;
      readonly of: readonly PlanCondition[];
    }
  | PlanLeaf;

/** A leaf with its definition, because `decide` has no vocabulary. */
export interface PlanLeaf {
  readonly type: 'leaf';
  readonly path: string;
  readonly name: string;
  readonly id?: string;
  readonly config: unknown;
  readonly definition: TerminationDefinition;
  /** Executing activations are cancelled if this leaf is among those that are satisfied. */
  readonly cancels: boolean;
}

/** A compiled termination: when a scope stops, and what happens then. */
export interface PlanTermination {
  readonly tree: PlanCondition;
  readonly leaves: readonly PlanLeaf[];
  readonly inFlight: InFlightPolicy;
  /** Node indices. */
  readonly exitTo: readonly number[];
  /** true: the scope's last message; a number: the last one of that node. */
  readonly carryLast: boolean | number;
  readonly message?: string;
}

/** Compiles a termination; several of one scope become one that stops when any of them is satisfied. */
export function compileTermination(
  terminations: readonly (Termination | undefined)[],
  { vocabulary, indexOf }: { readonly vocabulary: Vocabulary; readonly indexOf: (id: string) => number },
): PlanTermination | undefined {
  const [first, ...others] = terminations.filter((one) => one !== undefined);
  if (first === undefined) return undefined;
  const all = [first, ...others];
  const condition: TerminationCondition = others.length === 0 ? first : { any_of: all };
  const tree = compileCondition(condition, '$', vocabulary);
  // If both a graph and the node that runs it have a termination, the one with exit nodes sets their messages.
  const { carry_last, message } = all.find(({ exit_to }) => exit_to.length > 0) ?? first;
  return {
    tree,
    leaves: leavesOf(tree),
    inFlight: all.find((one) => one.in_flight === 'cancel')?.in_flight ?? first.in_flight,
    exitTo: [...new Set(all.flatMap(({ exit_to }) => exit_to.map(indexOf)))],
    carryLast: typeof carry_last === 'string' ? indexOf(carry_last) : carry_last,
    ...(message === undefined ? {} : { message }),
  };
}

function compileCondition(condition: TerminationCondition, path: string, vocabulary: Vocabulary): PlanCondition {
  const inner = (of: readonly TerminationCondition[]) =>
    of.map((one, at) => compileCondition(one, `${path}.${at}`, vocabulary));
  if ('any_of' in condition) return { type: 'any_of', path, of: inner(condition.any_of) };
  if ('all_of' in condition) return { type: 'all_of', path, of: inner(condition.all_of) };
  const definition = vocabulary.terminations.get(condition.type);
  if (definition === undefined) throw new Error(`there is no termination of type "${condition.type}" here`);
  return {
    type: 'leaf',
    path,
    name: condition.type,
    config: condition.config,
    definition,
    cancels: condition.in_flight === 'cancel',
    ...(condition.id === undefined ? {} : { id: condition.id }),
  };
}

const leavesOf = (condition: PlanCondition): readonly PlanLeaf[] =>
  condition.type === 'leaf' ? [condition] : condition.of.flatMap(leavesOf);

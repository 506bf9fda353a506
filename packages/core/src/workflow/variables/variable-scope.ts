import type { Environment } from './environment.ts';

/**
 * Variables that a file may use: its own, then those of the file that includes it, then the environment. Values of
 * variables may use variables; values of the environment are used as they are. `$${NAME}` is the text `${NAME}`.
 */
export interface VariableScope {
  readonly own: Readonly<Record<string, unknown>>;
  readonly parent?: VariableScope;
  readonly environment: Environment;
  /** Names of the variables of the environment that were used; shared by all scopes of a workflow. */
  readonly taken: Set<string>;
  /** In the original engine, `$${NAME}` is `$` and the value. */
  readonly compat: boolean;
  /** Names of the scope's own variables that are used. */
  readonly used: Set<string>;
  /** Names of those that are used in secret fields. */
  readonly usedInSecrets: Set<string>;
  /**
   * Remaining characters, shared by all scopes of a workflow: variables that contain each other twice grow without
   * bound.
   */
  readonly budget: ExpansionBudget;
  /** What is known of the scope's own variables, so that each is resolved once, however often it is used. */
  readonly resolved: Map<string, ResolvedVariable>;
  readonly nodes: Map<string, VariableNode>;
  /** Returns whether an own variable is written as a floating-point number, which is visible in a text. */
  isFloat(name: string): boolean;
}

/** Characters that the variables of a workflow may still expand to. */
interface ExpansionBudget {
  characters: number;
  /** Their number when a variable was looked up last. */
  asked?: number;
}

/** The resolved value of a variable. */
interface ResolvedVariable {
  readonly found: ResolvedText;
  /** Characters that it takes from the budget, each time it is used. */
  readonly cost: number;
  /** Those of them that were taken when it last looked up a variable; with no more left than these, it is too large. */
  readonly asked: number;
}

/** A text with its `${…}` replaced. */
export interface ResolvedText {
  readonly value: unknown;
  /** Names without a value; their placeholders stay in the text. */
  readonly missing: readonly string[];
  /** Names of the environment that hold secrets, or belong to the machine, and are not used. */
  readonly withheld?: readonly { readonly name: string; readonly reason: 'secret' | 'machine' }[];
  /** Names that are escaped, as `$${NAME}`, and have a value. */
  readonly escaped?: readonly string[];
  /** The names of a cycle of variables; the first and the last are the same. */
  readonly circle?: readonly string[];
  /** The budget is spent; the value is incomplete. */
  readonly tooLarge?: true;
}

/** A variable among those that refer to each other. */
export interface VariableNode {
  readonly name: string;
  readonly scope: VariableScope;
  /** The first variable in its value that is part of a circle, or leads into one; null: none does. Undefined: not known yet. */
  next?: VariableNode | null;
  isInCircle?: true;
  circle?: readonly string[];
}

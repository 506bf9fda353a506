import type { ConfigProblem, Definition } from './definition.ts';

/** Hint of a server about a tool, by which a rule names tools. */
export type ToolHint = 'destructive' | 'read_only' | 'idempotent';

/**
 * A rule about calls of tools. It applies to a call if all that it names holds; of a list, the first one that applies counts.
 */
export interface ToolRule {
  /** Name of tools, in which `*` stands for any characters; absent: all. */
  readonly tool?: string | undefined;
  readonly annotation?: ToolHint | undefined;
  /** A comparison of an argument; its form is that of the catalogue. */
  readonly when?: Readonly<Record<string, unknown>> | undefined;
  readonly do: 'allow' | 'ask' | 'deny';
  /** Time that people have to decide, such as `1h`; absent: no end. */
  readonly expires?: string | undefined;
  /** What the model is told about a call that is denied. */
  readonly reason?: string | undefined;
}

/** Policies for calls of tools, beside that of the tools' own entry. The strictest one decides. */
export interface ToolPolicies {
  /** Those of the graph and of the graphs around it. */
  readonly graphs: readonly (readonly ToolRule[])[];
  /** That of the operator of the worker. */
  readonly operator: readonly ToolRule[];
}

/** Names of the arguments of tools, by the names of the tools; undefined for a tool that may have any. */
export type KnownTools = ReadonlyMap<string, readonly string[] | undefined>;

/** The policy of a graph for calls of tools. */
export interface PolicyDefinition extends Definition<readonly ToolRule[]> {
  /** Returns what is wrong with rules about these tools, which are all that the nodes of the graph have. */
  checkTools?(rules: readonly ToolRule[], tools: KnownTools): readonly ConfigProblem[];
}

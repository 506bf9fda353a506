/** A message as the recorder wrote it down. */
export interface ExpectedMessage {
  readonly role: string;
  readonly content: string;
  readonly keep?: boolean;
  /** null: it came from nowhere. */
  readonly source?: string | null;
}

/** Effect of one output on one edge. */
export interface ExpectedEdge {
  readonly to: string;
  readonly condition_met: boolean;
  readonly delivered: ExpectedMessage | null;
  /** Not an edge: the node's own output, queued because of its context window. */
  readonly context_self_link?: boolean;
}

export interface ExpectedUnit {
  readonly inputs: readonly ExpectedMessage[];
  readonly outputs?: readonly ExpectedMessage[];
}

export interface ExpectedActivation {
  readonly node: string;
  /** `root` or `root/<subgraph node>/…`. */
  readonly graph?: string;
  readonly graph_instance?: number;
  readonly inputs: readonly ExpectedMessage[];
  readonly outputs?: readonly ExpectedMessage[];
  readonly edges?: readonly ExpectedEdge[];
  readonly units?: readonly ExpectedUnit[];
  /** It failed; what it did before does not count. */
  readonly error?: unknown;
  /** Pairs of inputs whose order is not determined. */
  readonly unordered_input_pairs?: readonly (readonly [number, number])[];
}

export interface ExpectedCall {
  readonly endpoint?: string;
  readonly node: string;
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  readonly error?: unknown;
}

/** Degree to which the recorded engine's order is determined, from fully to not at all. */
export type Verdict = 'identical' | 'same_per_node' | 'same_as_multiset' | 'final_pick_differs' | 'different';

export interface Ordering {
  readonly verdict?: Verdict;
  readonly other_outcomes_seen?: readonly {
    readonly final_output: string | null;
    readonly error: unknown;
    readonly sequence: readonly string[];
  }[];
}

/** Expected result of a case. Fields that are absent are not compared. */
export interface Expected {
  readonly kind: 'run' | 'demo' | 'invalid';
  readonly stage_reached: string;
  readonly error: unknown;
  readonly ordering?: Ordering;
  readonly final_output?: string | null;
  readonly final_message?: ExpectedMessage | null;
  readonly never_executed?: readonly string[];
  readonly per_node?: readonly ExpectedActivation[];
  readonly llm_calls?: readonly ExpectedCall[];
  readonly node_inputs_at_end?: Readonly<Record<string, readonly ExpectedMessage[]>>;
}

/** Answers of people: per node a list, of which the last repeats, or one text. */
export type ScriptedHuman =
  | string
  | Readonly<Record<string, string | readonly (string | { readonly raise: string })[]>>;

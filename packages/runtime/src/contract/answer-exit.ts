/** A node to which an answer may lead. */
export interface AnswerExit {
  /** Id of the node. */
  readonly to: string;
  /** Condition in words; absent: every answer leads there. */
  readonly condition?: string;
  /** Test of the text that the condition makes; absent if code decides. */
  readonly test?: TextTest;
}

/**
 * Test of a text, as the conditions `keyword` and `regex` make it: all of `all`, none of `none`, and one of `any` or
 * `patterns` if there are any.
 */
export interface TextTest {
  readonly any: readonly string[];
  readonly all: readonly string[];
  readonly none: readonly string[];
  /** Regular expressions in the syntax of Python. */
  readonly patterns: readonly string[];
  /** Flags of patterns by their names in Python; with `IGNORECASE`, words ignore letter case, too. */
  readonly flags: readonly string[];
}

/** A class of characters with a letter: `\d`, `\s`, `\w`. */
export type Category = 'digit' | 'space' | 'word';

/** A part of a character set: code points from `from` to `to`, or a category or its complement. */
export type SetItem =
  | { readonly type: 'range'; readonly from: number; readonly to: number }
  | { readonly type: 'category'; readonly category: Category; readonly negated: boolean; readonly ascii: boolean };

/** One character of a set; a literal is a set of one. `fold`: upper and lower case are the same. */
export interface SetNode {
  readonly type: 'set';
  readonly items: readonly SetItem[];
  readonly negated: boolean;
  readonly fold: boolean;
}

/** A repetition; `max` may be Infinity. */
export interface RepeatNode {
  readonly type: 'repeat';
  readonly body: PatternNode;
  readonly min: number;
  readonly max: number;
  readonly mode: 'greedy' | 'lazy' | 'possessive';
}

/** A node of a Python pattern. Flags are already applied to the nodes. */
export type PatternNode =
  | SetNode
  | RepeatNode
  | { readonly type: 'any'; readonly dotAll: boolean }
  /** `lastLineEnd` is `$` without MULTILINE: the end of the text, or just before a newline that ends it. */
  | { readonly type: 'anchor'; readonly at: 'textStart' | 'lineStart' | 'textEnd' | 'lineEnd' | 'lastLineEnd' }
  | { readonly type: 'boundary'; readonly negated: boolean; readonly ascii: boolean }
  | { readonly type: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly type: 'alternatives'; readonly branches: readonly PatternNode[] }
  | { readonly type: 'group'; readonly index: number; readonly body: PatternNode }
  | { readonly type: 'look'; readonly behind: boolean; readonly negated: boolean; readonly body: PatternNode }
  | { readonly type: 'atomic'; readonly body: PatternNode }
  | { readonly type: 'backreference'; readonly group: number; readonly fold: boolean }
  | { readonly type: 'conditional'; readonly group: number; readonly yes: PatternNode; readonly no: PatternNode };

/** A parsed pattern: its groups are numbered from 1. */
export interface ParsedPattern {
  readonly body: PatternNode;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

/** The supported flags of Python's `re`. */
export interface PatternFlags {
  readonly ignoreCase?: boolean;
  readonly multiline?: boolean;
  readonly dotAll?: boolean;
  readonly verbose?: boolean;
  readonly ascii?: boolean;
}

/** Returns the child nodes of a node. */
export function childrenOf(node: PatternNode): readonly PatternNode[] {
  switch (node.type) {
    case 'sequence':
      return node.items;
    case 'alternatives':
      return node.branches;
    case 'group':
    case 'repeat':
    case 'look':
    case 'atomic':
      return [node.body];
    case 'conditional':
      return [node.yes, node.no];
    case 'set':
    case 'any':
    case 'anchor':
    case 'boundary':
    case 'backreference':
      return [];
  }
}

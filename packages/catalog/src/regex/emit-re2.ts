import { emitSet, re2Spelling } from './emit-set.ts';
import type { ParsedPattern, PatternNode } from './parse/syntax.ts';
import { isLastIn } from './re2-obstacles.ts';

/** A pattern in the syntax of another engine. */
export interface EmittedPattern {
  readonly source: string;
  /** Numbers of the groups in `source`, by Python's number; 0 is the whole match. */
  readonly groups: readonly number[];
}

/** A pattern for RE2. */
export interface EmittedRe2 extends EmittedPattern {
  /**
   * Groups for `$` before a newline that ends the text. RE2 has no look-ahead, so such a group consumes the newline;
   * the reader of the match removes it again.
   */
  readonly newlines: readonly number[];
}

/** Writes a pattern for RE2, which must be able to run it: see re2ObstacleOf. */
export function emitRe2(pattern: ParsedPattern): EmittedRe2 {
  const groups = [0];
  const newlines: number[] = [];
  let count = 0;

  const many = (node: PatternNode, children: readonly PatternNode[], last: boolean): string[] =>
    children.map((child, index) => emit(child, last && isLastIn(node, index, children.length)));

  const emit = (node: PatternNode, last: boolean): string => {
    switch (node.type) {
      case 'set':
        return node.fold ? `(?i:${emitSet(node, re2Spelling)})` : emitSet(node, re2Spelling);
      case 'any':
        return node.dotAll ? '(?s:.)' : '[^\\n]';
      case 'anchor':
        return anchor(node.at);
      case 'boundary':
        return node.negated ? '\\B' : '\\b';
      case 'sequence':
        return `(?:${many(node, node.items, last).join('')})`;
      case 'alternatives':
        return `(?:${many(node, node.branches, last).join('|')})`;
      case 'group': {
        count += 1;
        groups[node.index] = count;
        return `(${emit(node.body, last)})`;
      }
      case 'repeat':
        return `(?:${many(node, [node.body], last).join('')})${quantifier(node.min, node.max)}${node.mode === 'lazy' ? '?' : ''}`;
      case 'look':
      case 'atomic':
      case 'backreference':
      case 'conditional':
        throw new Error(`RE2 has no ${node.type}`);
    }
  };

  const anchor = (at: 'textStart' | 'lineStart' | 'textEnd' | 'lineEnd' | 'lastLineEnd'): string => {
    if (at !== 'lastLineEnd') return anchors[at];
    count += 1;
    newlines.push(count);
    return '(?:\\z|(\\n)\\z)';
  };

  return { source: emit(pattern.body, true), groups, newlines };
}

const anchors = { textStart: '\\A', lineStart: '(?m:^)', textEnd: '\\z', lineEnd: '(?m:$)' } as const;

/** Returns a quantifier in the form that all engines read. */
export function quantifier(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  if (min === max) return `{${min}}`;
  return min === 0 && max === 1 ? '?' : `{${min},${max}}`;
}

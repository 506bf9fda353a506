import { emitSet, re2Spelling } from './emit-set.ts';
import type { ParsedPattern, PatternNode } from './parse/syntax.ts';
import { childrenOf } from './parse/syntax.ts';
import { prefersNothing } from './parse/width.ts';

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

/** Returns the reason why RE2 cannot run a pattern, in words for its author; undefined if it can. */
export function re2ObstacleOf({ body }: ParsedPattern): string | undefined {
  return (
    obstacleIn(body, true) ??
    (prefersNothing(body) ? 'an alternative that matches nothing before one that matches something' : undefined)
  );
}

/** Returns the obstacle in a node. `last`: nothing of the pattern comes after the node. */
function obstacleIn(node: PatternNode, last: boolean): string | undefined {
  const own = ownObstacle(node, last);
  if (own !== undefined) return own;
  const children = childrenOf(node);
  for (const [index, child] of children.entries()) {
    const found = obstacleIn(child, last && isLastIn(node, index, children.length));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether nothing inside the node can come after its child; RE2 has `$` before a last newline only in such places. */
function isLastIn(node: PatternNode, index: number, count: number): boolean {
  if (node.type === 'sequence') return index === count - 1;
  return node.type !== 'repeat' || node.max <= 1;
}

function ownObstacle(node: PatternNode, last: boolean): string | undefined {
  switch (node.type) {
    case 'look':
      return node.behind ? 'a look-behind' : 'a look-ahead';
    case 'atomic':
      return 'an atomic group';
    case 'backreference':
      return 'a back reference';
    case 'conditional':
      return 'a conditional group';
    case 'boundary':
      return node.ascii ? undefined : 'a word boundary';
    case 'anchor':
      return node.at === 'lastLineEnd' && !last ? 'a "$" inside the pattern' : undefined;
    case 'repeat':
      return repeatObstacle(node.mode, node.min, node.max);
    case 'set':
    case 'any':
    case 'sequence':
    case 'alternatives':
    case 'group':
      return undefined;
  }
}

function repeatObstacle(mode: string, min: number, max: number): string | undefined {
  if (mode === 'possessive') return 'a possessive repeat';
  return min > 1000 || (max > 1000 && max !== Number.POSITIVE_INFINITY) ? 'a repeat over 1000' : undefined;
}

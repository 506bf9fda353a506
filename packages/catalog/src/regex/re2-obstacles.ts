import type { ParsedPattern, PatternNode } from './parse/syntax.ts';
import { childrenOf } from './parse/syntax.ts';
import { prefersNothing } from './parse/width.ts';

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
export function isLastIn(node: PatternNode, index: number, count: number): boolean {
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

import type { PatternNode } from './syntax.ts';

/** Range of the number of characters that a pattern can match. */
export interface Width {
  readonly min: number;
  readonly max: number;
}

const nothing: Width = { min: 0, max: 0 };

/** Returns the width of a node; `groups` contains the widths of the groups that it may refer to. */
export function widthOf(node: PatternNode, groups: ReadonlyMap<number, Width>): Width {
  const width = (inner: PatternNode): Width => widthOf(inner, groups);
  switch (node.type) {
    case 'set':
    case 'any':
      return { min: 1, max: 1 };
    case 'anchor':
    case 'boundary':
    case 'look':
      return nothing;
    case 'sequence':
      return node.items.map(width).reduce((a, b) => ({ min: a.min + b.min, max: a.max + b.max }), nothing);
    case 'alternatives':
      return either(node.branches.map(width));
    case 'conditional':
      return either([width(node.yes), width(node.no)]);
    case 'group':
    case 'atomic':
      return width(node.body);
    case 'repeat': {
      const body = width(node.body);
      return { min: body.min * node.min, max: body.max === 0 ? 0 : body.max * node.max };
    }
    case 'backreference':
      return groups.get(node.group) ?? { min: 0, max: Number.POSITIVE_INFINITY };
  }
}

const either = (widths: readonly Width[]): Width => ({
  min: widths.reduce((least, { min }) => Math.min(least, min), Number.POSITIVE_INFINITY),
  max: widths.reduce((most, { max }) => Math.max(most, max), Number.NEGATIVE_INFINITY),
});

/**
 * Returns whether a pattern may match nothing although it could match something at the same position, like `a*?` or `|a`.
 * After such a match, Python searches again at the same position, for a match with a width.
 */
export function prefersNothing(node: PatternNode): boolean {
  return widthOf(node, new Map()).min === 0 && hasEarlyWayOut(node);
}

function hasEarlyWayOut(node: PatternNode): boolean {
  const isNullable = (inner: PatternNode): boolean => widthOf(inner, new Map()).min === 0;
  switch (node.type) {
    case 'alternatives':
      return node.branches.some(
        (branch, index) => isNullable(branch) && (index < node.branches.length - 1 || hasEarlyWayOut(branch)),
      );
    case 'repeat':
      return node.mode === 'lazy' ? node.max > 0 : isNullable(node.body) && hasEarlyWayOut(node.body);
    case 'sequence':
      return node.items.some(hasEarlyWayOut);
    case 'group':
    case 'atomic':
      return hasEarlyWayOut(node.body);
    case 'conditional':
      return true;
    case 'set':
    case 'any':
    case 'anchor':
    case 'boundary':
    case 'look':
    case 'backreference':
      return false;
  }
}

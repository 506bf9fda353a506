import type { Document, LineCounter, Pair, YAMLMap } from 'yaml';
import { isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import type { Position } from '../../model/errors.ts';
import type { Path } from './path.ts';

interface LocatedNode {
  readonly key?: unknown;
  readonly value: unknown;
}

/**
 * Returns the position of the value at a path, or of its key; for a missing field, that of the mapping that lacks it.
 */
export function locate(
  document: Document,
  lines: LineCounter,
  target: { path: Path; part: 'key' | 'value' },
): Position {
  let located: LocatedNode = { value: document.contents };
  let found = true;
  for (const segment of target.path) {
    const next = step(document, located.value, segment);
    found = next !== undefined;
    if (next === undefined) break;
    located = next;
  }
  const offset = (target.part === 'key' && found ? offsetOf(located.key) : undefined) ?? writtenOffset(located.value);
  const { line, col } = lines.linePos(offset ?? offsetOf(located.key) ?? 0);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** Returns the source text of a plain scalar at a path of keys; undefined for anything else. */
export function plainSource(document: Document, path: Path): string | undefined {
  let value: unknown = document.contents;
  for (const segment of path) value = step(document, value, segment)?.value;
  return isScalar(value) && value.type === 'PLAIN' ? value.source : undefined;
}

function step(document: Document, value: unknown, segment: string | number): LocatedNode | undefined {
  const container = followAlias(document, value);
  if (isMap(container)) return pairOf(document, container, String(segment));
  if (!isSeq(container) || typeof segment !== 'number' || segment >= container.items.length) return undefined;
  return { value: container.items[segment] };
}

const followAlias = (document: Document, value: unknown): unknown => (isAlias(value) ? value.resolve(document) : value);

/** Returns the last pair with the key; keys of the mapping itself win over merged ones. */
function pairOf(document: Document, map: YAMLMap, key: string): Pair | undefined {
  const own = map.items.findLast((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  if (own !== undefined) return own;
  const merges = map.items.filter((pair) => isScalar(pair.key) && typeof pair.key.value === 'symbol');
  for (const merge of merges) {
    const source = followAlias(document, merge.value);
    for (const candidate of isSeq(source) ? source.items : [source]) {
      const merged = followAlias(document, candidate);
      const pair = isMap(merged) ? pairOf(document, merged, key) : undefined;
      if (pair !== undefined) return pair;
    }
  }
  return undefined;
}

const offsetOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);

/** Returns the offset of a node; undefined for an empty value, which has no text. */
const writtenOffset = (node: unknown): number | undefined =>
  isScalar(node) && node.source === '' ? undefined : offsetOf(node);

import type { Node } from 'yaml';
import { isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml';
import type { Path } from './path.ts';
import { scalarText } from './scalar-text.ts';

/** Another value for a text, number or boolean at a path of a document. */
export interface ValueChange {
  readonly path: Path;
  readonly value: string | number | boolean;
}

/** A document with other values. */
export interface ReplacedValues {
  readonly text: string;
  /** Changes that were not made: nothing is written at their paths itself, or not a plain value. */
  readonly refused: readonly ValueChange[];
}

/**
 * Replaces values in the text of a YAML document. Nothing but the characters of the values changes: comments, order, quotes
 * and spaces elsewhere stay as they are written.
 */
export function replaceValues(text: string, changes: readonly ValueChange[]): ReplacedValues {
  const document = parseDocument(text, { version: '1.1', logLevel: 'error' });
  const contents: unknown = document.errors.length > 0 ? undefined : document.contents;
  const edits: Edit[] = [];
  const refused: ValueChange[] = [];
  for (const change of changes) {
    const found = isNode(contents) ? scalarAt(text, contents, change.path) : undefined;
    if (found === undefined) refused.push(change);
    else edits.push({ ...found, value: change.value });
  }
  // From the end, so that the offsets before stay true.
  const edited = edits.sort((a, b) => b.from - a.from).reduce(withEdit, text);
  return { text: edited, refused };
}

/** Characters of a scalar. */
interface ScalarRange {
  readonly from: number;
  readonly to: number;
  /** Column of the field or item that it is the value of; undefined inside brackets. */
  readonly column: number | undefined;
}

type Edit = ScalarRange & Pick<ValueChange, 'value'>;

function withEdit(text: string, { from, to, column, value }: Edit): string {
  // A comment behind the value would become a part of a block.
  const isLast = /^[ \t]*(\r?\n|$)/.test(text.slice(to)) || text.slice(from, to).endsWith('\n');
  const written = typeof value === 'string' ? scalarText(value, isLast ? column : undefined) : String(value);
  // A block ends with its line break.
  const end = text.slice(from, to).endsWith('\n') && !written.endsWith('\n') ? '\n' : '';
  return `${text.slice(0, from)}${written}${end}${text.slice(to)}`;
}

/** Returns the scalar that is written at a path; undefined for an alias, and for a value with an anchor or a tag, which would remain. */
function scalarAt(text: string, contents: Node, path: Path): ScalarRange | undefined {
  let value: unknown = contents;
  let isFlow = false;
  let start: number | undefined;
  for (const segment of path) {
    const found: Child | undefined = childOf(value, segment);
    if (found === undefined) return undefined;
    isFlow ||= (isMap(value) || isSeq(value)) && value.flow === true;
    ({ value, start } = found);
  }
  if (!isScalar(value) || value.anchor !== undefined || value.tag !== undefined || value.range == null)
    return undefined;
  const [from, to] = value.range;
  const column = isFlow || start === undefined ? undefined : start - (text.lastIndexOf('\n', start - 1) + 1);
  return { from, to, column };
}

interface Child {
  readonly value: unknown;
  /** Offset of the key or item. */
  readonly start: number | undefined;
}

function childOf(container: unknown, segment: string | number): Child | undefined {
  if (isSeq(container) && typeof segment === 'number') {
    const item: unknown = container.items[segment];
    // Lines of a block stand deeper than the dash before it, which is two columns to the left.
    return isNode(item) ? { value: item, start: item.range?.[0] } : undefined;
  }
  if (!isMap(container)) return undefined;
  const pair = container.items.findLast(({ key }) => isScalar(key) && String(key.value) === String(segment));
  return pair === undefined
    ? undefined
    : { value: pair.value, start: isScalar(pair.key) ? pair.key.range?.[0] : undefined };
}

import type { EmittedPattern } from './emit-re2.ts';
import { quantifier } from './emit-re2.ts';
import { emitSet, nativeSpelling, withBothCases } from './emit-set.ts';
import type { ParsedPattern, PatternNode } from './parse/syntax.ts';
import { childrenOf } from './parse/syntax.ts';

/** A pattern for JavaScript's RegExp with the flags `d` and `v` and those given here. */
export interface EmittedNative extends EmittedPattern {
  readonly flags: 'i' | '';
}

interface Writer {
  /** Number of captures so far. */
  count: number;
  /** Numbers of the groups in this pattern, by Python's number. */
  readonly groups: number[];
  /** Numbers of the markers of groups, by Python's number of the group. */
  readonly markers: Map<number, number>;
  /** Groups that need a marker. */
  readonly markedGroups: ReadonlySet<number>;
  /** Some parts of the pattern distinguish upper and lower case and some do not, which no flag can express. */
  readonly scopedFold: boolean;
}

/**
 * Writes a pattern for JavaScript. Features that JavaScript lacks are built from those that it has:
 * - An atomic group is a capture in a look-ahead, followed by a reference to it.
 * - A reference to a group that has not matched fails in Python and matches nothing in JavaScript, which also has no
 *   conditional groups. So a group that is tested leaves a marker, a capture of the whole text: a reference to the marker
 *   cannot match if it is set, because less than the whole text is left, and always matches if it is not.
 * `something` requests a pattern that matches at least one character: less text must be left at its end than at its start.
 * One difference remains: JavaScript resets the groups of a repeated body on each repetition, Python keeps them.
 */
export function emitNative(pattern: ParsedPattern, options: { readonly something?: true } = {}): EmittedNative {
  const folds = foldsIn(pattern.body);
  const writer: Writer = {
    count: 0,
    groups: [0],
    markers: new Map(),
    markedGroups: testedGroups(pattern),
    scopedFold: folds.size > 1,
  };
  const flags = !writer.scopedFold && folds.has(true) ? 'i' : '';
  const { groups } = writer;
  if (options.something === undefined) return { source: emit(pattern.body, writer), groups, flags };
  const [rest, ahead] = capture(writer, () => anything);
  return { source: `(?=${ahead})${emit(pattern.body, writer)}(?!\\${rest}$)`, groups, flags };
}

// The type of the table ensures that the writer fits the node.
const emit = (node: PatternNode, writer: Writer): string => writers[node.type](node as never, writer);

type Writers = {
  readonly [Type in PatternNode['type']]: (node: Extract<PatternNode, { type: Type }>, writer: Writer) => string;
};

const writers: Writers = {
  set: (node, { scopedFold }) => emitSet(scopedFold ? withBothCases(node) : node, nativeSpelling),
  any: ({ dotAll }) => (dotAll ? '\\p{Any}' : '[^\\n]'),
  anchor: ({ at }) => anchors[at],
  boundary: ({ negated, ascii }) => boundary(negated, ascii),
  sequence: ({ items }, writer) => `(?:${items.map((item) => emit(item, writer)).join('')})`,
  alternatives: ({ branches }, writer) => `(?:${branches.map((branch) => emit(branch, writer)).join('|')})`,
  group: ({ index, body }, writer) => emitGroup(writer, index, body),
  repeat({ body, min, max, mode }, writer) {
    const repeat = (): string => `(?:${emit(body, writer)})${quantifier(min, max)}`;
    return mode === 'possessive' ? atomic(writer, repeat) : repeat() + (mode === 'lazy' ? '?' : '');
  },
  look: ({ behind, negated, body }, writer) => `(?${behind ? '<' : ''}${negated ? '!' : '='}${emit(body, writer)})`,
  atomic: ({ body }, writer) => atomic(writer, () => emit(body, writer)),
  backreference: ({ group }, writer) => `(?:${groupConditions(writer, group).set}\\${writer.groups[group] ?? 0})`,
  conditional({ group, yes, no }, writer) {
    const { set, unset } = groupConditions(writer, group);
    return `(?:${set}${emit(yes, writer)}|${unset}${emit(no, writer)})`;
  },
};

/** Not `[^]`: V8 of Node 20 interprets that incorrectly if the pattern has the `v` flag. */
const anything = '\\p{Any}*';

const anchors = {
  textStart: '^',
  lineStart: '(?<=^|\\n)',
  textEnd: '$',
  lineEnd: '(?=\\n|$)',
  lastLineEnd: '(?=\\n?$)',
} as const;

function boundary(negated: boolean, ascii: boolean): string {
  const item = { type: 'category', category: 'word', negated: false, ascii } as const;
  const word = emitSet({ type: 'set', items: [item], negated: false, fold: false }, nativeSpelling);
  const [left, right] = negated ? ['(?=', '(?!'] : ['(?!', '(?='];
  return `(?:(?<=${word})${left}${word})|(?<!${word})${right}${word}))`;
}

/** Returns the number of a new capture, and its text. Captures are numbered by their opening parentheses. */
function capture(writer: Writer, body: () => string): [number: number, text: string] {
  writer.count += 1;
  const number = writer.count;
  return [number, `(${body()})`];
}

function atomic(writer: Writer, body: () => string): string {
  const [number, text] = capture(writer, body);
  return `(?=${text})(?:\\${number})`;
}

function emitGroup(writer: Writer, index: number, body: PatternNode): string {
  const [number, text] = capture(writer, () => emit(body, writer));
  writer.groups[index] = number;
  if (!writer.markedGroups.has(index)) return text;
  const [marker, whole] = capture(writer, () => anything);
  writer.markers.set(index, marker);
  return `(?:${text}(?<=^(?=${whole})${anything}))`;
}

/** Returns patterns without width that match only if the group has matched, or only if it has not. */
function groupConditions({ markedGroups, markers }: Writer, group: number): { set: string; unset: string } {
  const never = '(?!)';
  if (!markedGroups.has(group)) return { set: '', unset: never };
  const marker = markers.get(group);
  return marker === undefined ? { set: never, unset: '' } : { set: `(?!\\${marker})`, unset: `(?=\\${marker})` };
}

/** Returns the case sensitivity of the letters and references of a pattern; both values if they differ. */
function foldsIn(node: PatternNode): ReadonlySet<boolean> {
  const own = node.type === 'backreference' || (node.type === 'set' && node.items.some(({ type }) => type === 'range'));
  const found = new Set<boolean>(own ? [node.fold] : []);
  for (const child of childrenOf(node)) for (const fold of foldsIn(child)) found.add(fold);
  return found;
}

/** Returns the groups that the pattern tests for a match. */
function testedGroups({ body }: ParsedPattern): ReadonlySet<number> {
  const unsure = new Set(groupsIn(body, false));
  const markedGroups = new Set<number>();
  const visit = (node: PatternNode): void => {
    if (node.type === 'conditional' || (node.type === 'backreference' && unsure.has(node.group)))
      markedGroups.add(node.group);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(body);
  return markedGroups;
}

/** Returns the groups of a node that may stay without a match when the rest of the pattern matches. */
function groupsIn(node: PatternNode, optional: boolean): readonly number[] {
  const own = node.type === 'group' && optional ? [node.index] : [];
  const inside = optional || isOptional(node);
  return [...own, ...childrenOf(node).flatMap((child) => groupsIn(child, inside))];
}

function isOptional(node: PatternNode): boolean {
  if (node.type === 'repeat') return node.min === 0;
  return node.type === 'alternatives' || node.type === 'conditional' || (node.type === 'look' && node.negated);
}

import type { Category, SetItem, SetNode } from './parse/syntax.ts';

/** Differences between the engines in the syntax of sets. */
export interface SetSpelling {
  /** Returns one code point by its number. */
  readonly character: (code: number) => string;
  /** All characters except word characters, as a part of a set. */
  readonly nonWord: string;
}

/** JavaScript's syntax, for patterns with the `v` flag. */
export const nativeSpelling: SetSpelling = {
  character: (code) => `\\u{${code.toString(16)}}`,
  nonWord: '[^\\p{L}\\p{N}_]',
};

/** RE2's syntax. It has no nested sets, so non-word characters are listed by general category. */
export const re2Spelling: SetSpelling = {
  character: (code) => `\\x{${code.toString(16)}}`,
  nonWord:
    '\\p{M}\\p{S}\\p{Z}\\p{C}\\p{Pd}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Po}' +
    '\\x{203f}\\x{2040}\\x{2054}\\x{fe33}\\x{fe34}\\x{fe4d}-\\x{fe4f}\\x{ff3f}',
};

type Ranges = readonly (readonly [from: number, to: number])[];

const lastCode = 0x10ffff;
const asciiRanges: Readonly<Record<Category, Ranges>> = {
  digit: [[48, 57]],
  space: [
    [9, 13],
    [32, 32],
  ],
  word: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
};
/**
 * Characters that Python's `str.isspace` accepts; they include the separators 1c to 1f, which JavaScript's `\s` does
 * not.
 */
const unicodeSpaces: Ranges = [
  [9, 13],
  [28, 32],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
];

/** Returns a set in the form that both engines read, e.g. `[a-z\p{Nd}]`. */
export function emitSet({ items, negated }: SetNode, spelling: SetSpelling): string {
  return `[${negated ? '^' : ''}${items.map((item) => emitItem(item, spelling)).join('')}]`;
}

function emitItem(item: SetItem, spelling: SetSpelling): string {
  if (item.type === 'range') return emitRanges([[item.from, item.to]], spelling);
  const { category, negated, ascii } = item;
  if (ascii || category === 'space') {
    const ranges = ascii ? asciiRanges[category] : unicodeSpaces;
    return emitRanges(negated ? outside(ranges) : ranges, spelling);
  }
  if (category === 'digit') return negated ? '\\P{Nd}' : '\\p{Nd}';
  return negated ? spelling.nonWord : '\\p{L}\\p{N}_';
}

function emitRanges(ranges: Ranges, { character }: SetSpelling): string {
  const spell = (code: number): string => {
    const text = String.fromCodePoint(code);
    return /[a-zA-Z0-9]/.test(text) ? text : character(code);
  };
  return ranges.map(([from, to]) => (from === to ? spell(from) : `${spell(from)}-${spell(to)}`)).join('');
}

function outside(ranges: Ranges): Ranges {
  const starts = [0, ...ranges.map(([, to]) => to + 1)];
  const ends = [...ranges.map(([from]) => from - 1), lastCode];
  return starts
    .map((from, index): [number, number] => [from, ends[index] ?? lastCode])
    .filter(([from, to]) => from <= to);
}

/** Returns the set with every letter in both cases, for engines that cannot ignore case in a part of a pattern. */
export function withBothCases(set: SetNode): SetNode {
  if (!set.fold) return set;
  return {
    ...set,
    fold: false,
    items: set.items.flatMap((item) => (item.type === 'range' ? bothCases(item.from, item.to) : [item])),
  };
}

function bothCases(from: number, to: number): SetItem[] {
  const items: SetItem[] = [{ type: 'range', from, to }];
  for (let code = from; code <= to; code += 1) {
    const text = String.fromCodePoint(code);
    for (const other of new Set([text.toLowerCase(), text.toUpperCase(), text.toUpperCase().toLowerCase()])) {
      const otherCode = other.codePointAt(0);
      if (
        otherCode === undefined ||
        (otherCode >= from && otherCode <= to) ||
        String.fromCodePoint(otherCode) !== other
      )
        continue;
      items.push({ type: 'range', from: otherCode, to: otherCode });
    }
  }
  return items;
}

import type { Cursor, FlagScope, PatternReader } from './cursor.ts';
import { cursorOf, eat, PatternError, peek, take, takeWhile } from './cursor.ts';
import { categoryOf, commonEscape, numberEscape, setEscape } from './parse-escape.ts';
import { parseGroup } from './parse-group.ts';
import type { ParsedPattern, PatternFlags, PatternNode, SetItem, SetNode } from './syntax.ts';

/** Parses a pattern by the rules of Python 3.11's `re`. Throws a {@link PatternError} where Python would. */
export function parsePattern(pattern: string, flags: PatternFlags): ParsedPattern {
  const reader: PatternReader = {
    cursor: cursorOf(pattern),
    groups: 0,
    depth: 0,
    names: new Map(),
    open: new Set(),
    widths: new Map(),
    asked: [],
    alternatives: (scope, outermost) => parseAlternatives(reader, scope, outermost),
  };
  const none = { ignoreCase: false, multiline: false, dotAll: false, verbose: false, ascii: false };
  const body = parseAlternatives(reader, { flags: { ...none, ...flags } }, true);
  if (peek(reader.cursor) !== undefined) throw new PatternError('unbalanced parenthesis', reader.cursor.position);
  for (const { group, offset } of reader.asked) {
    if (group > reader.groups) throw new PatternError(`invalid group reference ${group}`, offset);
  }
  return { body, groups: reader.groups, names: reader.names };
}

function parseAlternatives(reader: PatternReader, scope: FlagScope, outermost: boolean): PatternNode {
  const first = parseSequence(reader, scope, outermost);
  const branches = [first];
  while (eat(reader.cursor, '|')) branches.push(parseSequence(reader, scope, false));
  return branches.length === 1 ? first : { type: 'alternatives', branches };
}

function parseSequence(reader: PatternReader, scope: FlagScope, outermost: boolean): PatternNode {
  const { cursor } = reader;
  const items: PatternNode[] = [];
  for (let next = peek(cursor); next !== undefined && next !== '|' && next !== ')'; next = peek(cursor)) {
    if (scope.flags.verbose && skipVerbose(reader)) continue;
    const repeated = parseRepeat(reader, items.at(-1));
    if (repeated !== undefined) {
      items[items.length - 1] = repeated;
      continue;
    }
    const item = parseItem(reader, scope, outermost && items.length === 0);
    if (item !== undefined) items.push(item);
  }
  return items.length === 1 && items[0] !== undefined ? items[0] : { type: 'sequence', items };
}

function skipVerbose({ cursor }: PatternReader): boolean {
  if (takeWhile(cursor, /[ \t\n\r\f\v]/) !== '') return true;
  if (peek(cursor) !== '#') return false;
  takeWhile(cursor, /[^\n]/);
  return true;
}

/** Parses a quantifier and applies it to the item before it; undefined if no quantifier comes next. */
function parseRepeat(reader: PatternReader, item: PatternNode | undefined): PatternNode | undefined {
  const { cursor } = reader;
  const start = cursor.position;
  const range = parseRange(reader);
  if (range === undefined) return undefined;
  if (item === undefined || item.type === 'anchor' || item.type === 'boundary') {
    throw new PatternError('nothing to repeat', start);
  }
  if (item.type === 'repeat') throw new PatternError('multiple repeat', start);
  const mode = eat(cursor, '?') ? 'lazy' : eat(cursor, '+') ? 'possessive' : 'greedy';
  return { type: 'repeat', body: item, ...range, mode };
}

function parseRange({ cursor }: PatternReader): { min: number; max: number } | undefined {
  if (eat(cursor, '*')) return { min: 0, max: Number.POSITIVE_INFINITY };
  if (eat(cursor, '+')) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (eat(cursor, '?')) return { min: 0, max: 1 };
  const start = cursor.position;
  if (!eat(cursor, '{')) return undefined;
  const low = takeWhile(cursor, /[0-9]/);
  const comma = eat(cursor, ',');
  const high = comma ? takeWhile(cursor, /[0-9]/) : low;
  if ((low === '' && !comma) || !eat(cursor, '}')) {
    // A brace that is not a quantifier is a literal.
    cursor.position = start;
    return undefined;
  }
  const min = low === '' ? 0 : Number.parseInt(low, 10);
  const max = high === '' ? Number.POSITIVE_INFINITY : Number.parseInt(high, 10);
  if (max < min) throw new PatternError('min repeat greater than max repeat', start + 1);
  return { min, max };
}

function parseItem(reader: PatternReader, scope: FlagScope, leading: boolean): PatternNode | undefined {
  const { cursor } = reader;
  const { flags } = scope;
  // The caller has checked that a character comes next.
  const character = take(cursor) as string;
  switch (character) {
    case '\\':
      return parseEscape(reader, scope);
    case '[':
      return parseSet(cursor, flags);
    case '(':
      return parseGroup(reader, scope, leading);
    case '.':
      return { type: 'any', dotAll: flags.dotAll };
    case '^':
      return { type: 'anchor', at: flags.multiline ? 'lineStart' : 'textStart' };
    case '$':
      return { type: 'anchor', at: flags.multiline ? 'lineEnd' : 'lastLineEnd' };
    default:
      return literal(character.codePointAt(0) as number, flags.ignoreCase);
  }
}

const literal = (code: number, fold: boolean): PatternNode => ({
  type: 'set',
  items: [{ type: 'range', from: code, to: code }],
  negated: false,
  fold,
});

function parseEscape(reader: PatternReader, { flags }: FlagScope): PatternNode {
  const { cursor } = reader;
  const start = cursor.position - 1;
  const letter = take(cursor);
  if (letter === undefined) throw new PatternError('bad escape (end of pattern)', start);
  if (letter === 'A') return { type: 'anchor', at: 'textStart' };
  if (letter === 'Z') return { type: 'anchor', at: 'textEnd' };
  if (letter === 'b' || letter === 'B') return { type: 'boundary', negated: letter === 'B', ascii: flags.ascii };
  const category = categoryOf(letter, flags.ascii);
  if (category) return { type: 'set', items: [category], negated: false, fold: false };
  if (!/[0-9]/.test(letter)) return literal(commonEscape(cursor, letter, start), flags.ignoreCase);
  const number = numberEscape(cursor, letter, start);
  if ('code' in number) return literal(number.code, flags.ignoreCase);
  const { group } = number;
  if (group > reader.groups) throw new PatternError(`invalid group reference ${group}`, start + 1);
  if (reader.open.has(group)) throw new PatternError('cannot refer to an open group', start);
  return { type: 'backreference', group, fold: flags.ignoreCase };
}

/** Parses a set; the cursor is after its `[`. */
function parseSet(cursor: Cursor, flags: { readonly ascii: boolean; readonly ignoreCase: boolean }): SetNode {
  const start = cursor.position - 1;
  const negated = eat(cursor, '^');
  const items: SetItem[] = [];
  // A bracket that comes first is a literal.
  for (let first = true; first || !eat(cursor, ']'); first = false)
    items.push(parseSetItem(cursor, start, flags.ascii));
  return { type: 'set', items, negated, fold: flags.ignoreCase };
}

function parseSetItem(cursor: Cursor, start: number, ascii: boolean): SetItem {
  const itemStart = cursor.position;
  const low = parseMember(cursor, start, ascii);
  if (peek(cursor) !== '-' || cursor.characters[cursor.position + 1] === ']') return low;
  take(cursor);
  const high = parseMember(cursor, start, ascii);
  if (low.type !== 'range' || high.type !== 'range' || low.from > high.from) {
    const written = cursor.characters.slice(itemStart, cursor.position).join('');
    throw new PatternError(`bad character range ${written}`, itemStart);
  }
  return { type: 'range', from: low.from, to: high.from };
}

function parseMember(cursor: Cursor, start: number, ascii: boolean): SetItem {
  const character = take(cursor);
  const code = character?.codePointAt(0);
  if (code === undefined) throw new PatternError('unterminated character set', start);
  return character === '\\' ? setEscape(cursor, ascii) : { type: 'range', from: code, to: code };
}

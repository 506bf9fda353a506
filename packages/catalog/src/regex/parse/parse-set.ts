import type { Cursor } from './cursor.ts';
import { eat, PatternError, peek, take } from './cursor.ts';
import { setEscape } from './parse-escape.ts';
import type { SetItem, SetNode } from './syntax.ts';

/** Parses a set; the cursor is after its `[`. */
export function parseSet(cursor: Cursor, flags: { readonly ascii: boolean; readonly ignoreCase: boolean }): SetNode {
  const start = cursor.position - 1;
  const negated = eat(cursor, '^');
  const items: SetItem[] = [];
  // A bracket that comes first is a literal.
  for (let first = true; first || !eat(cursor, ']'); first = false) items.push(parseItem(cursor, start, flags.ascii));
  return { type: 'set', items, negated, fold: flags.ignoreCase };
}

function parseItem(cursor: Cursor, start: number, ascii: boolean): SetItem {
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

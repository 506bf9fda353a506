import type { PatternFlags, PatternNode } from './syntax.ts';
import type { Width } from './width.ts';

/** Error of a pattern that Python would refuse. `offset` counts characters from 0. */
export class PatternError extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(`${message} at position ${offset}`);
    this.name = 'PatternError';
    this.offset = offset;
  }
}

/** A position in a pattern that advances as characters are taken. A character is a whole code point. */
export interface Cursor {
  readonly characters: readonly string[];
  position: number;
}

/** Returns a cursor at the start of the text. */
export const cursorOf = (text: string): Cursor => ({ characters: [...text], position: 0 });

/** Returns the next character without taking it; undefined at the end. */
export const peek = (cursor: Cursor): string | undefined => cursor.characters[cursor.position];

/** Takes the next character; undefined at the end. */
export function take(cursor: Cursor): string | undefined {
  const character = peek(cursor);
  if (character !== undefined) cursor.position += 1;
  return character;
}

/** Takes `text` if it comes next. */
export function eat(cursor: Cursor, text: string): boolean {
  const length = [...text].length;
  if (cursor.characters.slice(cursor.position, cursor.position + length).join('') !== text) return false;
  cursor.position += length;
  return true;
}

/** Takes at most `limit` characters that the test accepts. */
export function takeWhile(cursor: Cursor, test: RegExp, limit = Number.POSITIVE_INFINITY): string {
  let taken = '';
  let left = limit;
  for (let next = peek(cursor); next !== undefined && left > 0 && test.test(next); next = peek(cursor)) {
    taken += next;
    cursor.position += 1;
    left -= 1;
  }
  return taken;
}

/** Takes everything up to the terminator, and the terminator itself; `what` names it in the error. */
export function takeUntil(cursor: Cursor, terminator: string, what: string): string {
  const start = cursor.position;
  const taken = takeWhile(cursor, new RegExp(`[^${terminator}]`, 'u'));
  if (!eat(cursor, terminator)) {
    throw new PatternError(taken === '' ? `missing ${what}` : `missing ${terminator}, unterminated name`, start);
  }
  if (taken === '') throw new PatternError(`missing ${what}`, start);
  return taken;
}

/** Flags of a part of the pattern. Global flags change those of the outermost part in place. */
export interface FlagScope {
  flags: Required<PatternFlags>;
}

/** State of the parser of a pattern. */
export interface PatternReader {
  readonly cursor: Cursor;
  groups: number;
  /** Number of groups around the cursor. */
  depth: number;
  readonly names: Map<string, number>;
  /** Groups whose closing parenthesis has not been read yet. */
  readonly open: Set<number>;
  readonly widths: Map<number, Width>;
  /** Groups that conditions test, with the position of the condition: they may come later in the pattern. */
  readonly asked: { readonly group: number; readonly offset: number }[];
  /** Parses up to a closing parenthesis or the end. */
  readonly alternatives: (scope: FlagScope, outermost: boolean) => PatternNode;
}

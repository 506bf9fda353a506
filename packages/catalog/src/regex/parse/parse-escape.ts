import type { Cursor } from './cursor.ts';
import { PatternError, peek, take, takeWhile } from './cursor.ts';
import type { Category, SetItem } from './syntax.ts';

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 };
const categories: Readonly<Record<string, Category>> = { d: 'digit', s: 'space', w: 'word' };
const hexDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Returns the category that a letter after a backslash names, e.g. `D`: everything but digits. */
export function categoryOf(letter: string, ascii: boolean): SetItem | undefined {
  const category = categories[letter.toLowerCase()];
  return category && { type: 'category', category, negated: letter !== letter.toLowerCase(), ascii };
}

/**
 * Returns the code point of an escape that means the same inside and outside of sets; the cursor is after the letter.
 */
export function commonEscape(cursor: Cursor, letter: string, start: number): number {
  const control = controls[letter];
  if (control !== undefined) return control;
  const digits = hexDigits[letter];
  if (digits !== undefined) return hexEscape(cursor, start, digits);
  if (letter === 'N') throw new PatternError('named characters \\N{...} are not supported', start);
  if (/[a-zA-Z0-9]/.test(letter)) throw new PatternError(`bad escape \\${letter}`, start);
  // A character always has a code point.
  return letter.codePointAt(0) as number;
}

function hexEscape(cursor: Cursor, start: number, digits: number): number {
  const hex = takeWhile(cursor, /[0-9a-fA-F]/, digits);
  const written = cursor.characters.slice(start, cursor.position).join('');
  if (hex.length !== digits) throw new PatternError(`incomplete escape ${written}`, start);
  const code = Number.parseInt(hex, 16);
  if (code > 0x10ffff) throw new PatternError(`bad escape ${written}`, start);
  return code;
}

/** Returns the item of an escape inside a set; the cursor is after the backslash. */
export function setEscape(cursor: Cursor, ascii: boolean): SetItem {
  const start = cursor.position - 1;
  const letter = take(cursor);
  if (letter === undefined) throw new PatternError('bad escape (end of pattern)', start);
  const category = categoryOf(letter, ascii);
  if (category) return category;
  const code = setCode(cursor, letter, start);
  return { type: 'range', from: code, to: code };
}

function setCode(cursor: Cursor, letter: string, start: number): number {
  if (letter === 'b') return 8;
  if (/[0-7]/.test(letter)) return octal(letter + takeWhile(cursor, /[0-7]/, 2), start);
  return commonEscape(cursor, letter, start);
}

/**
 * Parses a number after a backslash outside of sets: a character in octal, or a reference to a group. As in Python, it
 * is octal if it starts with 0 or has three octal digits.
 */
export function numberEscape(cursor: Cursor, first: string, start: number): { code: number } | { group: number } {
  if (first === '0') return { code: octal(first + takeWhile(cursor, /[0-7]/, 2), start) };
  const digits = first + takeWhile(cursor, /[0-9]/, 1);
  if (/^[0-7]{2}$/.test(digits) && /[0-7]/.test(peek(cursor) ?? '')) {
    return { code: octal(digits + take(cursor), start) };
  }
  return { group: Number.parseInt(digits, 10) };
}

function octal(digits: string, start: number): number {
  const code = Number.parseInt(digits, 8);
  if (code > 0o377) throw new PatternError(`octal escape value \\${digits} outside of range 0-0o377`, start);
  return code;
}

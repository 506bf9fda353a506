import type { TestPath } from '../files/read-test-file.ts';

/** A part of an expectation that a run does not meet. */
export interface Mismatch {
  /** Place of the part in the test. */
  readonly path: TestPath;
  readonly expected: string;
  readonly found: string;
  /** The activation in question. */
  readonly activation?: string;
  /** What the file would have to say, where it says an exact value. */
  readonly actual?: string | number;
}

/** Longest text of a run that a mismatch quotes, in characters. */
const longestQuote = 500;

/** Returns a text in quotes, shortened. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text);

/** Returns `1 time`, `2 times` and so on. */
export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

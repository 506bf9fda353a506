import { defineSplitter, textOf } from '@millrace/core';
import { z } from 'zod';
import { flagsOf, patternFields } from '../regex/pattern-fields.ts';
import { patternProblems } from '../regex/pattern-problems.ts';
import type { PatternMatch } from '../regex/python-regex.ts';
import { pythonRegex } from '../regex/python-regex.ts';
import { unitOf } from './unit.ts';

/** Configuration of a `delimiter` split. */
export const DelimiterConfig = z.object({
  ...patternFields,
  pattern: patternFields.pattern
    .default('\\n\\s*\\n')
    .describe('What lies between two units; by default a blank line.'),
});

/** What lies between the matches of a pattern are the units. */
export const delimiter = defineSplitter({
  type: 'delimiter',
  summary: 'One unit per piece between the matches of a pattern.',
  config: DelimiterConfig,
  check: (config) => patternProblems({ ...config, flags: flagsOf(config), path: ['pattern'] }),
  compile(config) {
    const pattern = pythonRegex(config.pattern, flagsOf(config));
    return (messages) =>
      messages.flatMap((message) => {
        const text = textOf(message);
        return between(text, pattern.findAll(text)).map((piece) =>
          unitOf(message, piece, { split_source: 'delimiter' }),
        );
      });
  },
});

/** The pieces with something in them. */
function between(text: string, delimiters: readonly PatternMatch[]): readonly string[] {
  const starts = [0, ...delimiters.map(({ end }) => end)];
  const ends = [...delimiters.map(({ start }) => start), text.length];
  return starts.map((start, index) => text.slice(start, ends[index])).filter((piece) => piece.trim() !== '');
}

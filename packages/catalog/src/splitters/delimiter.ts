import type { ConfigProblem } from '@millrace/core';
import { defineSplitter, textOf } from '@millrace/core';
import { z } from 'zod';
import { flagsOf, patternFields, patternProblems } from '../regex/pattern-fields.ts';
import type { CompiledPattern } from '../regex/python-regex.ts';
import { pythonRegex } from '../regex/python-regex.ts';
import { createUnit, splitMessages } from './split-in-child.ts';

/** Configuration of a `delimiter` split. */
export const DelimiterConfig = z.object({
  ...patternFields,
  delimiter: z
    .string({ error: 'Write the text that lies between two units.' })
    .min(1, 'Write at least one character.')
    .optional()
    .describe('Text that separates two units.'),
  pattern: patternFields.pattern
    .optional()
    .describe(
      'Pattern of the text that separates two units, in place of a delimiter; a blank line if neither is given.',
    ),
});

type DelimiterConfig = z.output<typeof DelimiterConfig>;

/** Splitter whose units are the parts between delimiters, or between the matches of a pattern. */
export const delimiter = defineSplitter({
  type: 'delimiter',
  summary: 'One unit for each part between delimiters, or between the matches of a pattern.',
  config: DelimiterConfig,
  check: (config) => [
    ...bothProblems(config),
    ...patternProblems({ pattern: patternOf(config), flags: flagsOf(config), path: ['pattern'] }),
  ],
  compile(config) {
    const { delimiter: text } = config;
    if (text !== undefined) {
      return (messages, maxItems) =>
        splitMessages({ by: 'delimiter', delimiter: text }, messages, maxItems, (message) => message);
    }
    const pattern = pythonRegex(patternOf(config), flagsOf(config));
    return async (messages) => {
      const units = messages.map(async (message) => {
        const pieces = (await cut(textOf(message), pattern)).filter((piece) => piece.trim() !== '');
        return pieces.map((piece) => createUnit(message, piece, { split_source: 'delimiter' }));
      });
      return (await Promise.all(units)).flat();
    };
  },
});

const patternOf = ({ pattern = '\\n\\s*\\n' }: DelimiterConfig): string => pattern;

function bothProblems({ delimiter: text, pattern }: DelimiterConfig): readonly ConfigProblem[] {
  if (text === undefined || pattern === undefined) return [];
  const message = 'A split takes either a "delimiter" or a "pattern", not both';
  return [{ code: 'E_FIELD_INVALID', severity: 'error', path: ['pattern'], message, hint: 'Remove one of them.' }];
}

/** Splits a text at the matches of a pattern; some parts may be blank. */
async function cut(whole: string, pattern: CompiledPattern): Promise<readonly string[]> {
  const matches = await pattern.findAll(whole);
  const starts = [0, ...matches.map(({ end }) => end)];
  const ends = [...matches.map(({ start }) => start), whole.length];
  return starts.map((start, index) => whole.slice(start, ends[index]));
}

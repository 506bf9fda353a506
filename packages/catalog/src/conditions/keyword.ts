import type { ConfigProblem } from '@millrace/core';
import { defineCondition } from '@millrace/core';
import { z } from 'zod';
import { patternProblems } from '../regex/pattern-fields.ts';
import { pythonRegex } from '../regex/python-regex.ts';

/** A text or a list of texts, parsed to a list. Absent or null is an empty list. */
export const Strings = z
  .union([z.string(), z.array(z.string({ error: 'Write a text; put numbers and words such as true in quotes.' }))], {
    error: 'Write a text or a list of texts.',
  })
  .nullish()
  .transform((written): readonly string[] => (typeof written === 'string' ? [written] : (written ?? [])));

/** Configuration of a `keyword` condition. */
export const KeywordConfig = z
  .object({
    any: Strings.describe('At least one of these texts must occur, unless one of the patterns matches.'),
    all: Strings.describe('All of these texts must occur.'),
    none: Strings.describe('None of these texts may occur.'),
    regex: Strings.describe(
      'Patterns in the syntax of Python; at least one must match, unless a word of `any` occurs.',
    ),
    case_sensitive: z
      .boolean({ error: 'Write `true` or `false`.' })
      .default(true)
      .describe('Distinguishes upper and lower case.'),
    default: z
      .boolean({ error: 'Write `true` or `false`.' })
      .default(false)
      .describe('Has no effect; accepted for older files.'),
  })
  .refine(({ any, all, none, regex }) => any.length + all.length + none.length + regex.length > 0, {
    error: 'A keyword condition needs at least one of any, all, none and regex.',
  });

type Config = z.infer<typeof KeywordConfig>;

/** Condition that tests if texts and patterns occur in a text, also as parts of words. */
export const keyword = defineCondition({
  type: 'keyword',
  summary: 'Looks for words and patterns in the text.',
  config: KeywordConfig,
  check: (config): readonly ConfigProblem[] =>
    config.regex.flatMap((pattern, index) =>
      patternProblems({ pattern, flags: flagsOf(config), path: ['regex', index] }),
    ),
  describe: ({ any, all, none, regex }) =>
    [
      containsOneOf([...any.map(quote), ...regex.map((pattern) => `/${pattern}/`)]),
      all.length === 0 ? '' : `contains ${all.map(quote).join(' and ')}`,
      none.length === 0 ? '' : `without ${none.map(quote).join(' and ')}`,
    ]
      .filter((part) => part !== '')
      .join(', '),
  compile(config) {
    const fold = (text: string): string => (config.case_sensitive ? text : text.toLowerCase());
    const patterns = config.regex.map((pattern) => pythonRegex(pattern, flagsOf(config)));
    // An empty word never occurs.
    const [any, all, none] = [config.any, config.all, config.none].map((keywords) =>
      keywords.map(fold).map((word) => (text: string) => word !== '' && text.includes(word)),
    );
    return async (text) => {
      const folded = fold(text);
      const occurs = (has: (text: string) => boolean): boolean => has(folded);
      if (none?.some(occurs) || !all?.every(occurs)) return false;
      if (any?.some(occurs)) return true;
      for (const pattern of patterns) if ((await pattern.search(text)) !== undefined) return true;
      return config.any.length === 0 && config.regex.length === 0;
    };
  },
});

const quote = (text: string): string => `"${text}"`;

const containsOneOf = (texts: readonly string[]): string =>
  texts.length === 0 ? '' : `contains ${texts.join(' or ')}`;

const flagsOf = ({ case_sensitive: caseSensitive }: Config): { ignoreCase: boolean } => ({
  ignoreCase: !caseSensitive,
});

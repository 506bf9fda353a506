import { z } from 'zod';
import type { PatternFlags } from './parse/syntax.ts';

/** Fields that all configurations with a pattern have. */
export const patternFields = {
  pattern: z
    .string({ error: 'Write a regular expression in the syntax of Python.' })
    .describe('A regular expression in the syntax of Python.'),
  case_sensitive: z
    .boolean({ error: 'Write `true` or `false`.' })
    .default(true)
    .describe('Distinguishes upper and lower case.'),
  multiline: z
    .boolean({ error: 'Write `true` or `false`.' })
    .default(false)
    .describe('Lets `^` and `$` also match at the start and end of each line.'),
  dotall: z.boolean({ error: 'Write `true` or `false`.' }).default(false).describe('Lets `.` also match a newline.'),
};

/** A group by number or name; digits in quotes are a number. */
export const GroupField = z
  .union([z.int(), z.string()], { error: 'Write the number or the name of a group.' })
  .transform((group) => (typeof group === 'string' && /^\d+$/.test(group) ? Number(group) : group))
  .nullish();

/** Returns the flags of a configuration with {@link patternFields}. */
export const flagsOf = (config: {
  readonly case_sensitive: boolean;
  readonly multiline: boolean;
  readonly dotall: boolean;
}): PatternFlags => ({
  ignoreCase: !config.case_sensitive,
  multiline: config.multiline,
  dotAll: config.dotall,
});

import type { ConfigProblem } from '@millrace/core';
import { z } from 'zod';
import { leaveToChildIf } from '../processes/cheap-work.ts';
import { PatternError } from './parse/cursor.ts';
import type { PatternFlags } from './parse/syntax.ts';
import type { CompiledPattern } from './python-regex.ts';
import { groupNumber, pythonRegex } from './python-regex.ts';

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

/** A pattern of a configuration, with its path. */
interface WrittenPattern {
  readonly pattern: string;
  readonly flags: PatternFlags;
  readonly path: ConfigProblem['path'];
  /** Group that is extracted from the matches; empty names none. */
  readonly group?: string | number | undefined;
}

/** Returns the problems of a pattern, for its author. */
export function patternProblems({ pattern, flags, path, group }: WrittenPattern): readonly ConfigProblem[] {
  // Counts repeat what they count: `(a{100}){10}` is compiled to a thousand parts.
  leaveToChildIf(/\{\d/.test(pattern));
  const compiled = compile(pattern, flags);
  if (compiled instanceof PatternError) {
    const message = `The pattern is not a valid regular expression of Python: ${compiled.message}`;
    return [{ code: 'E_REGEX_INVALID', severity: 'error', path, message }];
  }
  return [...outsideRe2(compiled, path), ...unknownGroup(compiled, group)];
}

function compile(pattern: string, flags: PatternFlags): CompiledPattern | PatternError {
  try {
    return pythonRegex(pattern, flags);
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
}

function outsideRe2({ outsideRe2: reason }: CompiledPattern, path: ConfigProblem['path']): readonly ConfigProblem[] {
  if (reason === undefined) return [];
  const message = `The pattern has ${reason}, so it needs the slower engine, which is stopped after a short time`;
  return [{ code: 'W_REGEX_OUTSIDE_RE2', severity: 'warning', path, message }];
}

function unknownGroup(compiled: CompiledPattern, group: string | number | undefined): readonly ConfigProblem[] {
  if (group === undefined || groupNumber(compiled, group) !== undefined) return [];
  const known = [...Array.from({ length: compiled.groups }, (_, index) => `${index + 1}`), ...compiled.names.keys()];
  return [
    {
      code: 'W_REGEX_GROUP_UNKNOWN',
      severity: 'warning',
      path: ['group'],
      message: `The pattern has no group "${group}"`,
      hint: known.length === 0 ? 'It has no groups at all.' : `Its groups: ${known.join(', ')}.`,
    },
  ];
}

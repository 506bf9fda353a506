import { defineCondition } from '@millrace/core';
import { z } from 'zod';
import type { PatternFlags } from '../regex/parse/syntax.ts';
import { patternFields, patternProblems } from '../regex/pattern-fields.ts';
import { pythonRegex } from '../regex/python-regex.ts';

const flagError = 'Write a list of IGNORECASE, MULTILINE and DOTALL.';

/** Configuration of a `regex` condition. */
export const RegexConditionConfig = z.object({
  pattern: patternFields.pattern,
  flags: z
    .array(z.enum(['IGNORECASE', 'MULTILINE', 'DOTALL'], { error: flagError }), { error: flagError })
    .default([])
    .describe('Flags of the pattern, by the names that Python gives them.'),
});

/** Condition that tests if a pattern matches anywhere in a text. */
export const regexCondition = defineCondition({
  type: 'regex',
  summary: 'Searches the text for a pattern.',
  config: RegexConditionConfig,
  check: ({ pattern, flags }) => patternProblems({ pattern, flags: flagsOf(flags), path: ['pattern'] }),
  describe: ({ pattern }) => `matches /${pattern}/`,
  compile({ pattern, flags }) {
    const compiled = pythonRegex(pattern, flagsOf(flags));
    return async (text) => (await compiled.search(text)) !== undefined;
  },
});

const flagsOf = (flags: readonly string[]): PatternFlags => ({
  ignoreCase: flags.includes('IGNORECASE'),
  multiline: flags.includes('MULTILINE'),
  dotAll: flags.includes('DOTALL'),
});

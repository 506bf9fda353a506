import type { ConfigProblem } from '@millrace/core';
import { leaveToThreadIf } from '../threads/cheap-work.ts';
import { PatternError } from './parse/cursor.ts';
import type { PatternFlags } from './parse/syntax.ts';
import type { CompiledPattern } from './python-regex.ts';
import { groupNumber, pythonRegex } from './python-regex.ts';

/** A pattern of a configuration, with its path. */
export interface WrittenPattern {
  readonly pattern: string;
  readonly flags: PatternFlags;
  readonly path: ConfigProblem['path'];
  /** Group that is extracted from the matches; empty names none. */
  readonly group?: string | number | undefined;
}

/** Returns the problems of a pattern, for its author. */
export function patternProblems({ pattern, flags, path, group }: WrittenPattern): readonly ConfigProblem[] {
  // Counts repeat what they count: `(a{100}){10}` is compiled to a thousand parts.
  leaveToThreadIf(/\{\d/.test(pattern));
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

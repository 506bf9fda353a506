import { isDeepStrictEqual } from 'node:util';
import type { ConfigProblem } from '@millrace/core';
import { singleLine } from '@millrace/core';
import { z } from 'zod';
import { PatternError } from '../regex/parse/cursor.ts';
import { pythonRegex } from '../regex/python-regex.ts';
import { compileValuePath, PathError } from './value-path.ts';

/*
 * Comparisons of values in structured data: the one meaning of `path`, `equals`, `above` and so on, for conditions of edges
 * and for everything else that tests JSON: the expectations of test files (`json: {path, …}`) use it, too.
 */

const NumberField = z.number({ error: 'Write a number.' });

const Limits = z.object({
  above: NumberField.optional().describe('The number is greater.'),
  at_least: NumberField.optional().describe('The number is equal or greater.'),
  below: NumberField.optional().describe('The number is less.'),
  at_most: NumberField.optional().describe('The number is equal or less.'),
});

/** Fields of a comparison beside its path; all that are written must hold for one value. */
export const ComparisonFields = Limits.extend({
  equals: z.unknown().optional().describe('The value is this one: a text, number, list or mapping, or null.'),
  not: z.unknown().optional().describe('The value is another one.'),
  in: z
    .array(z.unknown(), { error: 'Write a list of values.' })
    .min(1, { error: 'Write at least one value.' })
    .optional()
    .describe('The value is one of these.'),
  matches: z
    .string({ error: 'Write a regular expression.' })
    .optional()
    .describe('The pattern matches a part of the text; in the syntax of Python, as far as RE2 has it.'),
  exists: z
    .boolean({ error: 'Write `true` or `false`.' })
    .optional()
    .describe('Whether there is a value; it may be null. `false` goes alone.'),
  length: z
    .union([NumberField, Limits], { error: 'Write a number, or a mapping such as `above: 3`.' })
    .optional()
    .describe('Number of characters of a text, entries of a list, or fields of a mapping; or limits of it.'),
});

/** A comparison of the value at a path. */
export const Comparison = ComparisonFields.extend({
  path: z
    .string({ error: 'Write a path such as `path: score`.' })
    .min(1, { error: 'Write a path such as `path: score`.' })
    .regex(singleLine)
    .describe(
      'A field of the data, names joined by dots, or a JSONPath that starts with `$`. Of several values, one must fit.',
    ),
});
export type Comparison = z.infer<typeof Comparison>;

/** Names of the comparisons that can be written beside a path. */
export const comparisonNames = Object.keys(ComparisonFields.shape);

/**
 * Result of a comparison, with the values at the path. `missing`: there is nothing at the path, or nothing that can be compared like this, such as a text
 * with a limit. A reason is the rest of a sentence about the path, such as `is 3, not 4`.
 */
export type ComparisonResult =
  | { readonly type: 'holds' }
  | { readonly type: 'fails' | 'missing'; readonly reason: string; readonly values: readonly unknown[] };

const holds: ComparisonResult = { type: 'holds' };

/** Prepares a comparison that {@link comparisonProblems} accepts. */
export function compileComparison(comparison: Comparison): (data: unknown) => Promise<ComparisonResult> {
  const { isSingular, select } = compileValuePath(comparison.path);
  const tests = testsOf(comparison);
  return async (data) => {
    const values = select(data);
    if (comparison.exists === false)
      return values.length === 0 ? holds : { type: 'fails', reason: `is ${shown(values[0])}`, values };
    let result: ComparisonResult = { type: isSingular ? 'missing' : 'fails', reason: 'does not exist', values };
    for (const value of values) {
      const failure = await firstFailure(tests, value);
      if (failure === undefined) return holds;
      result = { ...failure, values };
    }
    return result;
  };
}

/** Returns what is wrong with a comparison that its schema accepts; paths are relative to it. */
export function comparisonProblems(comparison: Comparison): readonly ConfigProblem[] {
  const written = comparisonNames.filter((name) => Reflect.get(comparison, name) !== undefined);
  const invalid = (path: ConfigProblem['path'], message: string): readonly ConfigProblem[] => [
    { code: 'E_FIELD_INVALID', severity: 'error', path, message },
  ];
  return [
    ...pathProblems(comparison.path),
    ...(written.length === 0 ? invalid([], `Write a comparison beside "path": ${comparisonNames.join(', ')}`) : []),
    ...(comparison.exists === false && written.length > 1
      ? invalid(['exists'], 'A value that does not exist cannot be compared')
      : []),
    ...(comparison.matches === undefined ? [] : patternProblems(comparison.matches)),
  ];
}

function pathProblems(path: string): readonly ConfigProblem[] {
  try {
    compileValuePath(path);
    return [];
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    return [{ code: 'E_JSON_PATH_INVALID', severity: 'error', path: ['path'], message: error.message }];
  }
}

export function patternProblems(pattern: string): readonly ConfigProblem[] {
  const reason = patternProblem(pattern);
  if (reason === undefined) return [];
  return [{ code: 'E_REGEX_INVALID', severity: 'error', path: ['matches'], message: `The pattern ${reason}` }];
}

/** Returns why RE2 cannot search for a pattern, as the rest of a sentence; undefined if it can. */
export function patternProblem(pattern: string): string | undefined {
  try {
    const { outsideRe2 } = pythonRegex(pattern);
    return outsideRe2 === undefined ? undefined : `has ${outsideRe2}, which RE2 does not search for`;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return `is not a valid regular expression: ${error.message}`;
  }
}

/** Returns a comparison in a few words, such as `score at least 8`. */
export function describeComparison({ path, ...fields }: Comparison): string {
  const parts = comparisonNames.flatMap((name) => {
    const wanted: unknown = Reflect.get(fields, name);
    return wanted === undefined ? [] : [words[name]?.(wanted) ?? `${name} ${shown(wanted)}`];
  });
  return `${path} ${parts.join(' and ')}`;
}

const words: Readonly<Record<string, (wanted: unknown) => string>> = {
  equals: (wanted) => `is ${shown(wanted)}`,
  not: (wanted) => `is not ${shown(wanted)}`,
  in: (wanted) => `is ${Array.isArray(wanted) ? wanted.map(shown).join(' or ') : shown(wanted)}`,
  at_least: (wanted) => `at least ${shown(wanted)}`,
  at_most: (wanted) => `at most ${shown(wanted)}`,
  matches: (wanted) => `matches /${String(wanted)}/`,
  exists: (wanted) => (wanted === true ? 'exists' : 'does not exist'),
};

/** One test of a value; `unfit`: the value has another type. */
interface ValueTest {
  passes(value: unknown): boolean | 'unfit' | Promise<boolean>;
  /** Follows `is …, not`. */
  readonly wanted: string;
}

function testsOf(comparison: Comparison): readonly ValueTest[] {
  const { equals, not, in: choices, matches, length } = comparison;
  return [
    ...(equals === undefined ? [] : [{ passes: (value: unknown) => isEqual(value, equals), wanted: shown(equals) }]),
    ...(not === undefined ? [] : [{ passes: (value: unknown) => !isEqual(value, not), wanted: 'another value' }]),
    ...(choices === undefined ? [] : [oneOf(choices)]),
    ...(matches === undefined ? [] : [matchOf(matches)]),
    ...(length === undefined ? [] : lengthTests(length)),
    ...limitTests(comparison, (value) => (typeof value === 'number' ? value : undefined), 'a number'),
  ];
}

const isEqual = (value: unknown, other: unknown): boolean => isDeepStrictEqual(value, other);

const oneOf = (choices: readonly unknown[]): ValueTest => ({
  passes: (value) => choices.some((choice) => isEqual(value, choice)),
  wanted: `one of ${choices.map(shown).join(', ')}`,
});

function matchOf(pattern: string): ValueTest {
  const regex = pythonRegex(pattern);
  return {
    passes: (value) => (typeof value === 'string' ? regex.search(value).then((found) => found !== undefined) : 'unfit'),
    wanted: `a text that matches /${pattern}/`,
  };
}

const lengthTests = (length: NonNullable<Comparison['length']>): readonly ValueTest[] =>
  typeof length === 'number'
    ? [{ passes: (value) => compared(lengthOf(value), (size) => size === length), wanted: `of the length ${length}` }]
    : limitTests(length, lengthOf, 'of a length');

/** Returns the length of a value: of a text in characters, not in the units of JavaScript. */
function lengthOf(value: unknown): number | undefined {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
}

const limits = [
  { name: 'above', words: 'above', test: (value: number, limit: number) => value > limit },
  { name: 'at_least', words: 'of at least', test: (value: number, limit: number) => value >= limit },
  { name: 'below', words: 'below', test: (value: number, limit: number) => value < limit },
  { name: 'at_most', words: 'of at most', test: (value: number, limit: number) => value <= limit },
] as const;

const limitTests = (
  written: z.infer<typeof Limits>,
  measure: (value: unknown) => number | undefined,
  noun: string,
): readonly ValueTest[] =>
  limits.flatMap(({ name, words: relation, test }) => {
    const limit = written[name];
    if (limit === undefined) return [];
    const passes: ValueTest['passes'] = (value) => compared(measure(value), (number) => test(number, limit));
    return [{ passes, wanted: `${noun} ${relation} ${limit}` }];
  });

const compared = (value: number | undefined, test: (value: number) => boolean): boolean | 'unfit' =>
  value === undefined ? 'unfit' : test(value);

async function firstFailure(
  tests: readonly ValueTest[],
  value: unknown,
): Promise<{ readonly type: 'fails' | 'missing'; readonly reason: string } | undefined> {
  for (const { passes, wanted } of tests) {
    const passed = await passes(value);
    if (passed === true) continue;
    return { type: passed === 'unfit' ? 'missing' : 'fails', reason: `is ${shown(value)}, not ${wanted}` };
  }
  return undefined;
}

/** Returns a value for a reason, shortened. */
function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

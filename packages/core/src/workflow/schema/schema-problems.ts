import type { z } from 'zod';
import { controlCharacterProblem } from '../document/control-characters.ts';
import type { IssueCode } from '../document/issue-codes.ts';
import type { Path } from '../document/path.ts';
import type { DocumentProblem } from '../document/report.ts';
import { Timestamp } from '../document/scalars.ts';
import { didYouMean } from '../document/suggest.ts';

type ZodIssue = z.core.$ZodIssue;

/** A problem that a schema found, in words for authors of workflows. */
export interface SchemaProblem extends DocumentProblem {
  readonly code: IssueCode;
}

/** Returns the problems that a schema found in `input`, which is at `path`. */
export function schemaProblems(issues: readonly ZodIssue[], input: unknown, path: Path): readonly SchemaProblem[] {
  return issues.flatMap((issue) => {
    const advice = adviceOf(issue);
    const problems = problemsOf(issue, valueAt(input, issue.path), pathBelow(path, issue.path));
    return advice === undefined ? problems : problems.map((problem) => withAdvice(problem, advice));
  });
}

/** Returns the message that the author of a definition wrote; zod's own messages begin with one of these words. */
function adviceOf(issue: ZodIssue): string | undefined {
  return /^(Invalid|Too small|Too big|Unrecognized)/.test(issue.message) ? undefined : issue.message;
}

const withAdvice = (problem: SchemaProblem, advice: string): SchemaProblem =>
  problem.hint === undefined && problem.message !== advice ? { ...problem, hint: advice } : problem;

function problemsOf(issue: ZodIssue, value: unknown, path: Path): readonly SchemaProblem[] {
  switch (issue.code) {
    case 'invalid_type':
      return [wrongType([issue.expected], value, path)];
    case 'invalid_value':
      return [notOneOf(issue.values, value, path)];
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const message = `"${key}" is not known here`;
        return { code: 'E_FIELD_INVALID', path: [...path, key], atKey: true as const, message };
      });
    case 'invalid_union':
      return unionProblems(issue, value, path);
    case 'invalid_key':
      return [{ ...keyProblem(issue), path }];
    case 'invalid_format': {
      const problem = controlCharacterProblem(value, issue.pattern);
      if (problem !== undefined) return [{ code: 'E_CONTROL_CHARACTER', path, ...problem }];
      return [{ code: 'E_FIELD_INVALID', path, message: messageOf(issue, value) }];
    }
    default:
      return [{ code: 'E_FIELD_INVALID', path, message: messageOf(issue, value) }];
  }
}

/** Returns the problem of a key that the schema of its mapping refuses. */
function keyProblem({ path, issues }: z.core.$ZodIssueInvalidKey): Omit<SchemaProblem, 'path'> {
  const message = `${describeValue(String(path.at(-1)))} is not a valid name here`;
  return {
    code: 'E_FIELD_INVALID',
    atKey: true,
    message,
    hint: issues.map(adviceOf).find((advice) => advice !== undefined),
  };
}

/** Returns the problems of the alternative that matched furthest; if none matched, what each alternative expects. */
function unionProblems(issue: z.core.$ZodIssueInvalidUnion, value: unknown, path: Path): readonly SchemaProblem[] {
  if ('options' in issue && issue.options !== undefined) return [notOneOf(issue.options, value, path)];
  const fitting = issue.errors.filter(
    (issues) => !issues.some(({ code, path: at }) => code === 'invalid_type' && at.length === 0),
  );
  const [best] = [...fitting].sort((a, b) => depth(b) - depth(a) || a.length - b.length);
  if (best !== undefined && best.length > 0) return schemaProblems(best, value, path);
  const expected = issue.errors.flat().flatMap((inner) => (inner.code === 'invalid_type' ? [inner.expected] : []));
  return [wrongType(expected, value, path)];
}

const depth = (issues: readonly ZodIssue[]): number => Math.max(0, ...issues.map(({ path }) => path.length));

function notOneOf(values: readonly z.core.util.Primitive[], value: unknown, path: Path): SchemaProblem {
  if (value === undefined) return wrongType([], value, path);
  const names = values.map(String);
  const message = `${describeValue(value)} is not one of ${names.join(', ')}`;
  return { code: 'E_FIELD_INVALID', path, message, hint: didYouMean(String(value), names) };
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'nothing',
};

function wrongType(expected: readonly string[], value: unknown, path: Path): SchemaProblem {
  const wanted = [...new Set(expected.map((name) => EXPECTED[name] ?? name))].join(' or ');
  if (value === undefined) {
    const field = path.at(-1);
    const message = `"${field}" is missing${wanted === '' ? '' : `: it must be ${wanted}`}`;
    return { code: 'E_FIELD_MISSING', path, message };
  }
  const message = `Expected ${wanted === '' ? 'another value' : wanted}, but found ${describeValue(value)}`;
  const hint = quotingHint(expected, value);
  return { code: 'E_FIELD_TYPE', path, message, hint };
}

function quotingHint(expected: readonly string[], value: unknown): string | undefined {
  if (expected.includes('string') && !Array.isArray(value) && typeof value !== 'object') {
    return 'Write it in quotes if the text itself is meant.';
  }
  if (expected.includes('string') && expected.length === 1 && !Array.isArray(value))
    return 'Put a text that begins with { in quotes.';
  if (
    typeof value === 'string' &&
    value.trim() !== '' &&
    expected.some((name) => name === 'number' || name === 'int')
  ) {
    return Number.isFinite(Number(value)) ? 'Write the number without quotes.' : undefined;
  }
  if (expected.includes('boolean') && typeof value === 'string' && /^(true|false)$/i.test(value)) {
    return 'Write it without quotes.';
  }
  return undefined;
}

/** Returns a value for the message of a problem, shortened. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Timestamp) return `the date ${value.text}`;
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
}

function messageOf(issue: ZodIssue, value: unknown): string {
  const limits = { too_small: ['at least', 'more than'], too_big: ['at most', 'less than'] } as const;
  if (issue.code !== 'too_small' && issue.code !== 'too_big') {
    return adviceOf(issue) ?? `${describeValue(value)} is not valid: ${issue.message}`;
  }
  const limit = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  if (issue.code === 'too_small' && limit === 1 && issue.origin === 'string') return 'It must not be empty';
  const bound = limits[issue.code][issue.inclusive === false ? 1 : 0];
  const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' entries' : '';
  return `It must be ${bound} ${limit}${unit}, but is ${describeValue(value)}`;
}

const pathBelow = (path: Path, below: readonly PropertyKey[]): Path => [
  ...path,
  ...below.map((segment) => (typeof segment === 'number' ? segment : String(segment))),
];

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const segment of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.entries(current).find(([key]) => key === String(segment))?.[1];
  }
  return current;
}

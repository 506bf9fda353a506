import type { FieldProblem } from './fields.ts';
import type { Refusal } from './refusal.ts';
import { invalid } from './refusal.ts';

/** Returns words as OpenAI lists them. */
export const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');

/** Returns OpenAI's refusal of a body without a field that it must have. */
export const missing = (param: string): Refusal =>
  invalid(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' });

/** Returns a problem of a field in OpenAI's words; chat completions do not name a parameter that they do not know. */
export function worded(problem: FieldProblem | undefined, isChat: boolean): Refusal | undefined {
  if (problem === undefined) return undefined;
  const { name, value } = problem;
  switch (problem.type) {
    case 'unknown':
      return isChat
        ? invalid(`Unrecognized request argument supplied: ${name}`)
        : invalid(`Unknown parameter: '${name}'.`, { param: name, code: 'unknown_parameter' });
    case 'word':
      return invalid(`Invalid value: '${String(value)}'. Supported values are: ${quoted(problem.words)}.`, {
        param: name,
        code: 'invalid_value',
      });
    case 'wrong':
      return invalid(
        `Invalid type for '${name}': expected ${problem.expected.replace('|', ' or ')}, but got ${typeof value} instead.`,
        { param: name, code: 'invalid_type' },
      );
  }
}

import { isMapping } from './mapping.ts';
import type { Path } from './path.ts';
import type { ProblemReporter } from './report.ts';

/**
 * Reports numbers that JSON does not have in a value with its variables replaced. Fields that take a number refuse them with what they
 * take; this is for all others, such as the params of models.
 */
export function reportInfiniteNumbers(value: unknown, path: Path, report: ProblemReporter): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const message = Number.isNaN(value) ? 'The value is not a number' : 'The number is infinite';
    report.add('E_NUMBER_INVALID', { path, message, hint: 'Write a number, or leave the field out.' });
  } else if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) reportInfiniteNumbers(entry, [...path, index], report);
  } else if (isMapping(value)) {
    for (const [key, entry] of Object.entries(value)) reportInfiniteNumbers(entry, [...path, key], report);
  }
}

import { formatPath } from '@millrace/core';
import type { TestFailure } from '../run/run-tests.ts';
import type { Reporter } from './reporter.ts';

const marks = { passed: '✓', failed: '✗', skipped: '-' } as const;

/** Prints each test in a line, and below it each expectation that was not met. */
export const prettyReporter: Reporter = {
  result({ file, line, name, status, reason, failures, durationMs }) {
    const time = status === 'skipped' ? `(${reason})` : `(${durationMs} ms)`;
    const head = `${marks[status]} ${name}  ${time}`;
    if (status !== 'failed') return head;
    return [`${head}  ${file}:${line}`, ...failures.map((one) => failureText(one, file))].join('\n');
  },
};

/** Returns a failure as people read it: its place, what was expected, and what was found. */
export function failureText({ path, line, column, expected, found, activation }: TestFailure, file: string): string {
  const where = activation === undefined ? '' : `  (${activation})`;
  return [
    `    ${file}:${line}:${column} ${formatPath(path)}${where}`,
    `      expected  ${indented(expected)}`,
    `      found     ${indented(found)}`,
  ].join('\n');
}

const indented = (text: string): string => text.replaceAll('\n', `\n${' '.repeat(16)}`);

import type { TestResult } from '../run/run-tests.ts';

/** Tells people or programs what has become of tests. */
export interface Reporter {
  /** Returns what is printed when a test has ended; absent: nothing. */
  result?(result: TestResult): string;
  /** Returns what is printed at the end; absent: nothing. */
  end?(results: readonly TestResult[]): string;
}

/** Returns a summary such as `41 passed, 1 failed`. */
export function summaryOfTests(results: readonly TestResult[]): string {
  const count = (status: TestResult['status']) => results.filter((one) => one.status === status).length;
  const skipped = count('skipped');
  return `${count('passed')} passed, ${count('failed')} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}

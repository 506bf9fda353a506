import type { Issue } from '@millrace/core';
import type { Mismatch } from '../expect/mismatch.ts';
import type { LocatedTest, ReadTests } from '../files/read-test-file.ts';
import type { TestSite } from './run-test.ts';
import { runTest } from './run-test.ts';

/** A mismatch of a test, with its position in the file. */
export interface TestFailure extends Mismatch {
  readonly line: number;
  readonly column: number;
}

/** Result of a test. */
export interface TestResult {
  readonly file: string;
  readonly line: number;
  /** Number of the test in its file, from 0. */
  readonly index: number;
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Reason for which it was skipped. */
  readonly reason?: string;
  readonly failures: readonly TestFailure[];
  readonly durationMs: number;
}

/** A file of tests with what is needed to run them. */
export interface TestSuite {
  readonly tests: ReadTests;
  readonly site: (test: LocatedTest) => TestSite;
}

/** Options of {@link runTests}. */
export interface RunTestsOptions {
  /** Tests whose names a regular expression matches; absent: all. */
  readonly pattern?: RegExp;
  /** No test is begun after one has failed. */
  readonly bail: boolean;
  /** Number of tests that run at the same time. */
  readonly concurrency: number;
  /** Called with the result of each test, in their order. */
  readonly onResult: (result: TestResult) => void;
  /** Ends the tests that are running, and begins no others. */
  readonly signal: AbortSignal;
}

/** A test that is to be run, or the reason for which it is not. */
interface PlannedTest {
  readonly suite: TestSuite;
  readonly located: LocatedTest;
  readonly skipped?: string;
}

/** Runs the tests of files, several at a time; their results are reported in the order of the files. */
export async function runTests(suites: readonly TestSuite[], options: RunTestsOptions): Promise<readonly TestResult[]> {
  const { bail, concurrency, onResult, signal } = options;
  const planned = plan(suites, options.pattern);
  const results: (TestResult | undefined)[] = planned.map(() => undefined);
  let begun = 0;
  let reported = 0;
  let hasFailed = false;
  const work = async () => {
    for (let at = begun++; at < planned.length && !signal.aborted && !(bail && hasFailed); at = begun++) {
      const one = planned[at];
      if (one === undefined) return;
      const result = await resultOf(one, signal);
      results[at] = result;
      hasFailed ||= result.status === 'failed';
      for (let next = results[reported]; next !== undefined; next = results[++reported]) onResult(next);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, work));
  const made = results.filter((one) => one !== undefined);
  // Results behind a test that was not begun.
  for (const one of results.slice(reported)) if (one !== undefined) onResult(one);
  return made;
}

function plan(suites: readonly TestSuite[], pattern: RegExp | undefined): readonly PlannedTest[] {
  const all = suites.flatMap((suite) => suite.tests.tests.map((located): PlannedTest => ({ suite, located })));
  const hasOnly = all.some(({ located }) => located.test.only);
  return all
    .filter(({ located: { test } }) => pattern === undefined || pattern.test(test.name))
    .map((one) => {
      const { skip, only } = one.located.test;
      const skipped = skip ?? (hasOnly && !only ? 'another test has `only`' : undefined);
      return skipped === undefined ? one : { ...one, skipped };
    });
}

async function resultOf({ suite, located, skipped }: PlannedTest, signal: AbortSignal): Promise<TestResult> {
  const { name } = located.test;
  const test = { file: suite.tests.file, line: located.at([]).line, index: located.index, name };
  if (skipped !== undefined) return { ...test, status: 'skipped', reason: skipped, failures: [], durationMs: 0 };
  const began = performance.now();
  const mismatches = await mismatchesOf({ suite, located }, signal);
  const failures = mismatches.map((one) => ({ ...one, ...located.at(one.path) }));
  const status = failures.length === 0 ? 'passed' : 'failed';
  return { ...test, status, failures, durationMs: Math.round(performance.now() - began) };
}

/** Runs a test; what it cannot be run without, such as a file, is a mismatch of it alone. */
async function mismatchesOf({ suite, located }: PlannedTest, signal: AbortSignal): Promise<readonly Mismatch[]> {
  try {
    return await runTest(located, suite.site(located), signal);
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return [{ path: [], expected: 'a test that can be run', found }];
  }
}

/** Returns the issues of tests that have `only`, which must not reach others: they would leave out all other tests. */
export const onlyIssues = ({ file, tests }: ReadTests): readonly Issue[] =>
  tests
    .filter(({ test }) => test.only)
    .map((located) => ({
      code: 'E_FIELD_INVALID',
      severity: 'error',
      file,
      path: `tests[${located.index}].only`,
      ...located.at(['only']),
      message: '`only` leaves out all other tests, so it is refused where CI is set',
      hint: 'Remove it.',
    }));

import { formatPath } from '@millrace/core';
import type { TestResult } from '../run/run-tests.ts';
import type { Reporter } from './reporter.ts';

/** Prints all results as one value of JSON, `{ok, passed, failed, skipped, tests}`. */
export const jsonReporter: Reporter = {
  end(results) {
    const count = (status: TestResult['status']) => results.filter((one) => one.status === status).length;
    const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')];
    const tests = results.map(({ failures, ...result }) => ({
      ...result,
      failures: failures.map(({ path, actual: _update, ...failure }) => ({ path: formatPath(path), ...failure })),
    }));
    return JSON.stringify({ ok: failed === 0, passed, failed, skipped, tests }, null, 2);
  },
};

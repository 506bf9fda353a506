import { replaceValues } from '@millrace/core';
import type { TestPath } from './read-test-file.ts';

/** What a test found where its file says an exact value. */
export interface FoundValue {
  /** Number of the test in its file, from 0. */
  readonly test: number;
  readonly path: TestPath;
  readonly value: string | number;
}

/** Returns the text of a file of tests with what was found as expected values, and the number of values that have changed. */
export function updatedTests(
  text: string,
  found: readonly FoundValue[],
): { readonly text: string; readonly changed: number } {
  const changes = found.map(({ test, path, value }) => ({ path: ['tests', test, ...path], value }));
  const { text: updated, refused } = replaceValues(text, changes);
  return { text: updated, changed: changes.length - refused.length };
}

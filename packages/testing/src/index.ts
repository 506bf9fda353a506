export { type LocatedTest, type ReadTests, readTestFile, testFileName } from './files/read-test-file.ts';
export type { TestCase } from './files/test-file.ts';
export { testJsonSchema } from './files/test-json-schema.ts';
export { type FoundValue, updatedTests } from './files/updated-tests.ts';
export { type RecordedTest, recordTest, writeFiles } from './record/record-test.ts';
export { definitionIn, nameIn, readLines } from './recordings/archive-text.ts';
export { contentsFolder } from './recordings/contents.ts';
export { createMask, type Mask } from './recordings/mask.ts';
export { jsonReporter } from './report/json.ts';
export { junitReporter } from './report/junit.ts';
export { prettyReporter } from './report/pretty.ts';
export { type Reporter, summaryOfTests } from './report/reporter.ts';
export type { KeptRun, TestedWorkflow, TestSite } from './run/run-test.ts';
export {
  onlyIssues,
  type RunTestsOptions,
  runTests,
  type TestFailure,
  type TestResult,
  type TestSuite,
} from './run/run-tests.ts';

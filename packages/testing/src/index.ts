export { type LocatedTest, type ReadTests, readTestFile, testFileName } from './files/read-test-file.ts';
export type { TestCase } from './files/test-file.ts';
export { testJsonSchema } from './files/test-json-schema.ts';

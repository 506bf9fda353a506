import { scriptFileProblems } from '@millrace/catalog';
import type { Issue, Position, SourceFile } from '@millrace/core';
import { readBySchema } from '@millrace/core';
import type { TestCase } from './test-file.ts';
import { TestFile } from './test-file.ts';

/** Place of a value in a test: keys below the test. */
export type TestPath = readonly (string | number)[];

/** A test of a file, with the places of what it says. */
export interface LocatedTest {
  readonly test: TestCase;
  /** Number of the test in its file, from 0. */
  readonly index: number;
  /** Returns the position of a value of the test, which may come from the defaults of its file. */
  at(path: TestPath): Position;
}

/** A file of tests as read. */
export interface ReadTests {
  readonly file: string;
  /** Path of the workflow from the folder of the file. */
  readonly workflow: string;
  /** Path of the module with functions of the installation, from the folder of the file. */
  readonly extensions?: string;
  readonly tests: readonly LocatedTest[];
}

/** Pattern of the names of files of tests. */
export const testFileName = /\.test\.ya?ml$/;

/** Reads a file of tests; undefined if it has errors, which are among the issues. */
export function readTestFile(source: SourceFile, issues: Issue[]): ReadTests | undefined {
  const document = readBySchema(source, TestFile, issues);
  if (document === undefined) return undefined;
  const { defaults = {}, tests, workflow, extensions } = document.value;
  const places = [['defaults'], ...tests.map((_, index) => ['tests', index])];
  const problems = [defaults, ...tests].flatMap((given, index) => problemsOf(given, places[index] ?? []));
  for (const [index, { name }] of tests.entries()) {
    if (tests.findIndex((other) => other.name === name) === index) continue;
    problems.push({ path: ['tests', index, 'name'], message: `Another test of this file has the name "${name}"` });
  }
  for (const problem of problems) document.report.add('E_FIELD_INVALID', problem);
  if (problems.length > 0) return undefined;
  return {
    file: source.file,
    workflow: workflow ?? source.file.replace(/^.*[\\/]/, '').replace(testFileName, '.yaml'),
    ...(extensions !== undefined && { extensions }),
    tests: tests.map((own, index) => ({
      test: { ...inherited(defaults, own), ...own },
      index,
      at([first = 'name', ...rest]) {
        const place = first in own || !(first in defaults) ? ['tests', index] : ['defaults'];
        return document.at([...place, first, ...rest], 'value');
      },
    })),
  };
}

/** Returns the defaults of a test; its own script takes the place of a recording, and the reverse. */
function inherited({ script, recording, match, ...others }: Partial<TestCase>, own: TestCase): Partial<TestCase> {
  if (own.recording !== undefined) return others;
  return own.script === undefined ? { ...others, script, recording, match } : others;
}

interface TestProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Returns what no schema says: settings that exclude each other, and scripts. */
function problemsOf(
  { script, recording, match, clock, start_time: start }: Partial<TestCase>,
  place: readonly (string | number)[],
): TestProblem[] {
  const problems: TestProblem[] = [];
  const add = (field: string, message: string) => problems.push({ path: [...place, field], message });
  if (script !== undefined && recording !== undefined) add('script', 'A test has a script or a recording, not both');
  if (match !== undefined && recording === undefined) add('match', '`match` is for tests with a `recording`');
  if (clock === 'real' && start !== undefined) add('start_time', 'A test by the real clock starts when it is run');
  if (typeof script === 'object') {
    for (const { path, message } of scriptFileProblems(script))
      problems.push({ path: [...place, 'script', ...path], message });
  }
  return problems;
}

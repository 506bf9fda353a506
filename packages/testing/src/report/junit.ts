import type { TestResult } from '../run/run-tests.ts';
import { failureText } from './pretty.ts';
import type { Reporter } from './reporter.ts';

/** Prints all results as JUnit XML, a suite for each file. */
export const junitReporter: Reporter = {
  end(results) {
    const files = [...new Set(results.map(({ file }) => file))];
    const suites = files.map((file) =>
      suiteOf(
        file,
        results.filter((one) => one.file === file),
      ),
    );
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites ${totalsOf(results)}>`,
      ...suites,
      '</testsuites>',
    ].join('\n');
  },
};

const suiteOf = (file: string, results: readonly TestResult[]): string =>
  [`  <testsuite name="${escaped(file)}" ${totalsOf(results)}>`, ...results.map(caseOf), '  </testsuite>'].join('\n');

function totalsOf(results: readonly TestResult[]): string {
  const count = (status: TestResult['status']) => results.filter((one) => one.status === status).length;
  const time = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0));
  return `tests="${results.length}" failures="${count('failed')}" errors="0" skipped="${count('skipped')}" time="${time}"`;
}

function caseOf({ file, line, name, status, reason = '', failures, durationMs }: TestResult): string {
  const head = `    <testcase name="${escaped(name)}" classname="${escaped(file)}" file="${escaped(file)}" line="${line}" time="${seconds(durationMs)}"`;
  if (status === 'passed') return `${head}/>`;
  const inner =
    status === 'skipped'
      ? `      <skipped message="${escaped(reason)}"/>`
      : failures
          .map(
            (one) =>
              `      <failure message="${escaped(`expected ${one.expected}, found ${one.found}`)}">${escaped(failureText(one, file))}</failure>`,
          )
          .join('\n');
  return [`${head}>`, inner, '    </testcase>'].join('\n');
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** Characters that XML 1.0 does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds exactly these characters
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const escaped = (text: string): string =>
  text.replaceAll(forbidden, '\ufffd').replaceAll(/[&<>"\n]/g, (character) => entities[character] ?? character);

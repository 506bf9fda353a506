import type { Issue } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { readTestFile } from './read-test-file.ts';

function read(text: string) {
  const issues: Issue[] = [];
  return { read: readTestFile({ file: 'flows/a.test.yaml', text }, issues), issues };
}

/** Issues as `line:column code message`, with their hints. */
const issuesOf = (text: string) =>
  read(text).issues.map(({ line, column, code, message, hint }) => [`${line}:${column} ${code} ${message}`, hint]);

const whole = `defaults: { script: { rules: [{ reply: Hi. }] }, start_time: 2026-01-01T09:00:00Z }
tests:
  - name: says hello
    input: 17
    answers: { H: [yes it is, { text: ACCEPT, after: 26h, by: ann }] }
    expect:
      output: { contains: [Hi, '.'] }
      nodes: { A: 2, Sub/Inner: '>=1', G: { runs: 1, outputs: '0..2' } }
      time: { at_least: 26h }
`;

describe('a file of tests', () => {
  it('is read with its defaults, and names the workflow beside it', () => {
    const { read: file, issues } = read(whole);

    expect(issues).toEqual([]);
    expect(file?.workflow).toBe('a.yaml');
    expect(file?.tests[0]?.test).toMatchObject({
      name: 'says hello',
      input: '17',
      start_time: Date.UTC(2026, 0, 1, 9),
      answers: { H: ['yes it is', { text: 'ACCEPT', after: 26 * 3_600_000, by: 'ann' }] },
      expect: { time: { at_least: 26 * 3_600_000 } },
    });
  });

  it('says where each value is written', () => {
    const [test] = read(whole).read?.tests ?? [];

    expect(test?.at(['expect', 'output', 'contains', 1])).toEqual({ line: 7, column: 32 });
    expect(test?.at(['script'])).toMatchObject({ line: 1 });
    expect(test?.at([])).toEqual({ line: 3, column: 11 });
  });

  it.each([
    [
      'an unknown key',
      'tests: [{ name: a, expects: {} }]',
      '1:20 E_KEY_UNKNOWN "expects" is not known here',
      'Did you mean "expect"?',
    ],
    [
      'an unknown key of an expectation',
      'tests:\n  - name: a\n    expect: { output: { contain: x } }',
      '3:25 E_KEY_UNKNOWN "contain" is not known here',
      'Did you mean "contains"?',
    ],
    ['a missing name', 'tests: [{ input: x }]', '1:9 E_FIELD_MISSING "name" is missing: it must be a text', undefined],
    [
      'a wrong status',
      'tests: [{ name: a, expect: { status: complete } }]',
      '1:38 E_FIELD_INVALID "complete" is not one of completed, failed, terminated, cancelled, waiting',
      'Did you mean "completed"?',
    ],
    [
      'a wrong length of time',
      'tests: [{ name: a, timeout: soon }]',
      '1:29 E_FIELD_INVALID Write a number and a unit, such as 30s, 26h or 7d.',
      undefined,
    ],
    [
      'a month that does not exist',
      'tests: [{ name: a, start_time: "2026-13-01T09:00:00Z" }]',
      '1:32 E_FIELD_INVALID There is no such time.',
      undefined,
    ],
    [
      'a day that does not exist',
      'tests: [{ name: a, start_time: "2026-02-31T09:00:00Z" }]',
      '1:32 E_FIELD_INVALID There is no such time.',
      undefined,
    ],
    [
      'a keyword of schemas that is not supported',
      'tests: [{ name: a, expect: { output: { json_schema: { type: string, format: phone } } } }]',
      expect.stringContaining('1:77 E_FIELD_INVALID "phone" is no value of "format"'),
      undefined,
    ],
    [
      'a script and a recording',
      'tests: [{ name: a, recording: a.jsonl, script: a.yaml }]',
      '1:48 E_FIELD_INVALID A test has a script or a recording, not both',
      undefined,
    ],
    [
      'a wrong script',
      'tests: [{ name: a, script: { rules: [{ when: { modell: m }, reply: x }] } }]',
      expect.stringContaining('1:46 E_FIELD_INVALID'),
      undefined,
    ],
    [
      'two tests of one name',
      'tests: [{ name: a }, { name: a }]',
      '1:30 E_FIELD_INVALID Another test of this file has the name "a"',
      undefined,
    ],
  ])('is refused for %s, with its place', (_what, text, message, hint) => {
    expect(issuesOf(text)).toEqual([[message, hint]]);
  });

  it('gives a recorded test no script of its defaults', () => {
    const { read: file } = read(`${whole}  - { name: again, recording: a.jsonl }\n`);

    expect(file?.tests[1]?.test).toMatchObject({ recording: 'a.jsonl' });
    expect(file?.tests[1]?.test.script).toBeUndefined();
  });
});

import type { Issue } from '@millrace/core';
import { expect, it } from 'vitest';
import { readTestFile } from '../files/read-test-file.ts';
import { textOfTests } from './record-test.ts';

const texts = ['yes', 'No', '12:30', '1_000', '2026-05-03T09:00:00Z', '=', '<<', '017', '0o17', '1e3', '~', '1:30.5'];

it('writes texts that are read as the same texts', () => {
  const nodes = Object.fromEntries(
    [...texts.filter((text) => text !== '<<'), 'Yes'].map((text) => [text, { output: text }]),
  );
  const output = 'Dear Ann,\n\n  yes: no\n';
  const vars = { texts };
  const text = textOfTests({ workflow: 'a.yaml', tests: [{ name: 'No', vars, expect: { output, nodes } }] });
  const issues: Issue[] = [];
  const [read] = readTestFile({ file: 'a.test.yaml', text }, issues)?.tests ?? [];

  expect(issues).toEqual([]);
  expect(read?.test).toEqual({ name: 'No', vars, expect: { output, nodes } });
  // Outputs of several lines stay readable.
  expect(text).toContain('Dear Ann,\n\n');
});

import type { Issue } from '@millrace/core';
import { expect, it } from 'vitest';
import { githubAnnotation } from './github-annotation.ts';

const issue: Issue = {
  severity: 'error',
  file: 'flows/a.yaml',
  line: 7,
  column: 11,
  path: 'graph.edges[0].to',
  code: 'E_EDGE_TARGET_UNKNOWN',
  message: 'There is no node "x".',
};

it('names file, line, column, code and message', () => {
  expect(githubAnnotation(issue, undefined)).toBe(
    '::error file=flows/a.yaml,line=7,col=11,title=E_EDGE_TARGET_UNKNOWN::graph.edges[0].to There is no node "x".',
  );
});

it('marks warnings as such', () => {
  expect(githubAnnotation({ ...issue, severity: 'warning' }, undefined)).toMatch(/^::warning file=/);
});

it('escapes characters that would end a property or the command', () => {
  const hostile = { ...issue, file: 'a,b:c%\n.yaml', path: '', message: '100%\r\n::stop-commands::x', hint: 'a:b,c' };

  expect(githubAnnotation(hostile, undefined)).toBe(
    '::error file=a%2Cb%3Ac%25%0A.yaml,line=7,col=11,title=E_EDGE_TARGET_UNKNOWN::100%25%0D%0A::stop-commands::x%0Ahint: a:b,c',
  );
});

it('names a file relative to the checkout, in every working directory', () => {
  const file = (name: string) => /file=([^,]+)/.exec(githubAnnotation({ ...issue, file: name }, '/home/repo'))?.[1];

  expect(file('/home/repo/flows/a.yaml')).toBe('flows/a.yaml');
  expect(file('/elsewhere/a.yaml')).toBe('/elsewhere/a.yaml');
});

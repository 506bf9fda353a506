import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Issue } from '@millrace/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../../../../test/support/fixtures.ts';
import { githubAnnotation } from '../../output/github-annotation.ts';
import { definitionFiles } from '../../workflow/definition-files.ts';
import { findSubgraphFile } from '../../workflow/load-workflow.ts';
import { readSource } from '../../workflow/source-file.ts';

const root = directoryBeforeAll();

beforeAll(() => {
  for (const directory of ['yaml_instance/sub', 'flows/deep', 'flows/.hidden', 'flows/node_modules']) {
    mkdirSync(join(root, directory), { recursive: true });
  }
  const files = ['yaml_instance/shared.yaml', 'flows/a.yaml', 'flows/deep/b.yml', 'flows/deep/beside.yaml'];
  const others = [
    'flows/notes.txt',
    'flows/a.script.yaml',
    'flows/a.answers.yml',
    'flows/a.test.yaml',
    'flows/deep/b.eval.yml',
    'flows/.hidden/c.yaml',
    'flows/node_modules/d.yaml',
  ];
  for (const file of [...files, ...others]) writeFileSync(join(root, file), 'graph: {}\n');
});

describe('the definition files of a directory', () => {
  it('are its *.yaml and *.yml, without hidden folders, packages and what accompanies workflows', () => {
    const found = definitionFiles([join(root, 'flows')]).map((file) => relative(root, file));
    expect(found).toEqual(['flows/a.yaml', 'flows/deep/b.yml', 'flows/deep/beside.yaml']);
  });

  it('include every named file, whatever its name, and whether or not it exists', () => {
    expect(definitionFiles(['x/a.script.yaml', 'nowhere.txt'])).toEqual(['x/a.script.yaml', 'nowhere.txt']);
  });
});

describe('a source file', () => {
  it('is read with its name', () => {
    const file = join(root, 'flows/a.yaml');
    expect(readSource(file)).toEqual({ file, text: 'graph: {}\n' });
  });

  it.each([
    ['E_NOT_UTF8', 'latin1.yaml', Buffer.from([0x61, 0xe4, 0x0a])],
    ['E_FILE_TOO_LARGE', 'large.yaml', Buffer.alloc(2 * 1024 * 1024 + 1, 0x20)],
  ])('is refused with %s', (code, name, content) => {
    writeFileSync(join(root, name), content);
    expect(readSource(join(root, name))).toMatchObject({ code, severity: 'error', line: 1, column: 1 });
  });

  it('is refused when it is missing, a directory, or has an impossible path', () => {
    symlinkSync('circle.yaml', join(root, 'circle.yaml'));
    for (const path of ['missing.yaml', '', 'flows/a.yaml/b', 'x'.repeat(300), 'circle.yaml']) {
      expect(readSource(join(root, path))).toMatchObject({ code: 'E_FILE_UNREADABLE', hint: expect.any(String) });
    }
  });

  it('is refused when it is an endless device', () => {
    expect(readSource('/dev/zero')).toMatchObject({ code: 'E_FILE_TOO_LARGE' });
  });
});

describe('the file of a subgraph', () => {
  const from = () => join(root, 'flows/deep/b.yml');
  const found = (path: string) => {
    const file = findSubgraphFile(path, from());
    return file === undefined ? undefined : relative(root, file);
  };

  it('is found beside the file that names it', () => {
    expect(found('beside.yaml')).toBe('flows/deep/beside.yaml');
  });

  it('is found in the yaml_instance folder of a parent directory', () => {
    expect(found('shared.yaml')).toBe('yaml_instance/shared.yaml');
  });

  it('is used unchanged when it is absolute', () => {
    expect(found(join(root, 'flows/a.yaml'))).toBe('flows/a.yaml');
    expect(found('/nowhere/a.yaml')).toBeUndefined();
  });
});

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

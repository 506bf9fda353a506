import type { RunArtifact } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { kindOf, treeOf } from './files.ts';

const file = (path: string, workspace = 's0') => ({ path, workspace, id: `${workspace}/${path}` }) as RunArtifact; // all a tree needs
const words = (files: readonly RunArtifact[]) =>
  treeOf(files).map(({ type, name, depth }) => `${'  '.repeat(depth)}${type === 'folder' ? `${name}/` : name}`);

describe('the tree of files', () => {
  it('has folders before the files inside them', () => {
    expect(words([file('a.txt'), file('docs/deep/b.md'), file('docs/c.md')])).toEqual([
      'docs/',
      '  deep/',
      '    b.md',
      '  c.md',
      'a.txt',
    ]);
  });

  it('names workspaces when there are several, that of the run first', () => {
    expect(words([file('a.txt', 's12'), file('a.txt')])).toEqual(['Run', '  a.txt', 'Subgraph call s12', '  a.txt']);
  });
});

describe('the preview of a file', () => {
  it.each([
    ['a.png', 'image/png', 'image'],
    ['a.svg', 'image/svg+xml', 'text'],
    ['a.html', 'text/html', 'text'],
    ['a.md', 'text/markdown', 'markdown'],
    ['run.py', 'text/x-python', 'text'],
    ['data.json', 'application/json', 'text'],
    ['a.bin', 'application/octet-stream', 'none'],
    ['a.pdf', 'application/pdf', 'none'],
  ])('of %s (%s) is: %s', (path, mimeType, kind) => {
    expect(kindOf({ path, mimeType })).toBe(kind);
  });
});

import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { makeDirectory } from './make-directory.ts';

const root = mkdtempSync(join(tmpdir(), 'millrace-make-directory-'));

afterEach(() => rmSync(root, { recursive: true, force: true }));

it('makes a directory with its parents, which may exist', () => {
  const directory = join(root, 'a', 'b', 'c');

  makeDirectory(directory, 0o700);
  makeDirectory(directory, 0o700);

  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

it('throws where a parent is a file, and keeps the file', () => {
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'file'), '');

  expect(() => makeDirectory(join(root, 'file', 'below'))).toThrow('ENOTDIR');
  expect(() => makeDirectory(join(root, 'file'))).toThrow('EEXIST');
});

it.runIf(process.platform === 'linux')('throws where the system refuses directories with ENOENT', () => {
  expect(() => makeDirectory('/proc/millrace/data')).toThrow('ENOENT');
});

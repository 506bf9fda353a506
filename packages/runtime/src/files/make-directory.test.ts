import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeDirectory, makeDirectorySync } from './make-directory.ts';

const root = mkdtempSync(join(tmpdir(), 'millrace-make-directory-'));

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.each([
  ['makeDirectory', makeDirectory],
  ['makeDirectorySync', async (...args: Parameters<typeof makeDirectorySync>) => makeDirectorySync(...args)],
])('%s', (_name, make) => {
  it('makes a directory with its parents, which may exist', async () => {
    const directory = join(root, 'a', 'b', 'c');

    await make(directory, 0o700);
    await make(directory, 0o700);

    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  it('makes directories below a missing one at the same time', async () => {
    const directories = ['b', 'c', 'd', 'e'].map((name) => join(root, 'a', name, 'f'));

    await Promise.all(directories.map((directory) => make(directory)));

    expect(directories.filter((directory) => statSync(directory).isDirectory())).toEqual(directories);
  });

  it('throws where a parent is a file, and keeps the file', async () => {
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'file'), '');

    await expect(make(join(root, 'file', 'below'))).rejects.toThrow('ENOTDIR: not a directory, mkdir');
    await expect(make(join(root, 'file'))).rejects.toThrow('EEXIST');
  });

  it.runIf(process.platform === 'linux')('throws where the system refuses directories with ENOENT', async () => {
    await expect(make('/proc/millrace/data')).rejects.toThrow('ENOENT');
  });
});

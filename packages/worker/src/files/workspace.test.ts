import { mkdir, readdir, rm, symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { directoryBeforeEach } from '../../../../test/support/fixtures.ts';
import { openWorkspace } from './workspace.ts';

const outside = directoryBeforeEach({
  secret: 'secret',
});
let workspace: Workspace;
beforeEach(async () => {
  await mkdir(join(outside, 'workspace'));
  workspace = openWorkspace(join(outside, 'workspace'));
});

const link = async (name: string, target: string) => {
  await symlink(target, join(outside, 'workspace', name));
};

describe('a workspace', () => {
  it.each<readonly [string, (files: Workspace) => Promise<unknown>]>([
    ['write', (files) => files.write('a/b.txt', 'x', 'overwrite')],
    ['update', (files) => files.update('b.txt', () => 'x')],
    ['makeFolder', (files) => files.makeFolder('a/b')],
    ['copy', (files) => files.copy('kept', 'a/copied')],
    ['find', (files) => files.find('kept')],
  ])('does not make its directory again in %s when that is gone', async (_name, act) => {
    const directory = join(outside, 'workspace');
    let touched = 0;
    const files = openWorkspace(directory, () => {
      touched++;
    });
    await files.write('kept', 'x', 'overwrite');
    const before = touched;
    await rm(directory, { recursive: true });

    await expect(act(files)).rejects.toThrow('ENOENT');

    expect(await readdir(outside)).toEqual(['secret']);
    // So the changes of the attempt are looked for, which finds that out.
    expect(touched).toBeGreaterThan(before);
  });

  it.each(['../secret', '/etc/hostname', 'a/../../secret'])('has no %s', async (path) => {
    await expect(workspace.read(path)).rejects.toThrow('leads out of the folder');
    await expect(workspace.write(path, 'x', 'overwrite')).rejects.toThrow('leads out of the folder');
  });

  it('does not follow links out of it', async () => {
    await link('way', '..');
    await link('file', '../secret');
    await link('later', '../new');

    for (const path of ['way/secret', 'file']) {
      await expect(workspace.read(path)).rejects.toThrow('leads out of the folder');
      await expect(workspace.write(path, 'x', 'overwrite')).rejects.toThrow('leads out of the folder');
    }
    await expect(workspace.write('later', 'x', 'overwrite')).rejects.toThrow('a link that leads nowhere');
    await expect(workspace.write('way/new', 'x', 'overwrite')).rejects.toThrow('leads out of the folder');
    expect((await readdir(outside)).sort()).toEqual(['secret', 'workspace']);
  });

  it('is never removed itself', async () => {
    await workspace.write('a', 'x', 'overwrite');

    await expect(workspace.remove('.')).rejects.toThrow('is the workspace itself');
    await expect(workspace.move('.', 'b')).rejects.toThrow('is the workspace itself');
  });

  it('loses no change when several happen at once', async () => {
    const add = (word: string) =>
      workspace.update('list', (bytes) => `${bytes === undefined ? '' : new TextDecoder().decode(bytes)}${word}\n`);

    await Promise.all(['a', 'b', 'c', 'd'].map(add));

    const lines = new TextDecoder()
      .decode(await workspace.read('list'))
      .trimEnd()
      .split('\n');
    expect(lines.sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  // It reads 128 MiB, which takes some seconds beside other work.
  it('reads and updates only files up to 64 MiB', { timeout: 60_000 }, async () => {
    const { directory } = workspace;
    await workspace.write('large', 'x', 'overwrite');
    await truncate(join(directory, 'large'), 64 * 1024 * 1024 + 1);

    await expect(workspace.read('large')).rejects.toThrow('"large" has more than 67108864 bytes');
    await expect(workspace.update('large', () => 'y')).rejects.toThrow('"large" has more than 67108864 bytes');
  });

  it('reports a missing file', async () => {
    expect(await workspace.find('x')).toBeUndefined();
    await expect(workspace.read('x')).rejects.toThrow('there is no "x" in the workspace');
    await expect(workspace.list('x')).rejects.toThrow('there is no "x" in the workspace');
  });
});

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { boundCaches, scan } from './scan.ts';

/** Makes a workspace with a file of a program, and 100 KB in two caches. */
async function workspace(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'millrace-scan-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'app/node_modules/deep'), { recursive: true });
  await mkdir(join(root, '.venv'));
  await writeFile(join(root, 'app/main.py'), 'x');
  await writeFile(join(root, 'app/node_modules/deep/a'), 'x'.repeat(50_000));
  await writeFile(join(root, '.venv/b'), 'x'.repeat(50_000));
  // What a link leads to is not counted.
  await symlink('/usr', join(root, '.venv/link'));
  return root;
}

it('counts the caches of a workspace, which are not among its files', async () => {
  const root = await workspace();
  const { files, caches } = await scan(root, 10);

  expect([...files.keys()]).toEqual(['app/main.py']);
  expect([...caches].sort()).toEqual(['.venv', 'app/node_modules']);
  await boundCaches(root, caches, { files: 10, total: 1_000_000 });
  expect(existsSync(join(root, '.venv/b'))).toBe(true);
});

it('counts folders and links like files', async () => {
  const root = await workspace();
  for (let at = 0; at < 4; at++) {
    await mkdir(join(root, `empty${at}`));
    await symlink('/usr', join(root, `link${at}`));
  }

  // With the folder \`app\` and its file.
  expect((await scan(root, 10)).files.size).toBe(1);
  await expect(scan(root, 9)).rejects.toMatchObject({ code: 'WORKSPACE_TOO_LARGE' });
});

it.each([
  ['bytes', { files: 100, total: 80_000 }],
  ['files', { files: 3, total: 1_000_000 }],
])('removes the caches of a workspace that have too many %s, and fails', async (_, most) => {
  const root = await workspace();
  const { caches } = await scan(root, 10);

  await expect(boundCaches(root, caches, most)).rejects.toMatchObject({ code: 'WORKSPACE_TOO_LARGE' });

  expect((await scan(root, 10)).caches).toEqual([]);
  expect(existsSync(join(root, 'app/main.py'))).toBe(true);
  expect(existsSync('/usr/bin')).toBe(true);
});

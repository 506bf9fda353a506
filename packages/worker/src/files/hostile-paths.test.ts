import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { removeTree } from './remove-tree.ts';
import { RunFolders } from './run-folders.ts';
import { assertStorablePaths, boundCaches, scan } from './scan.ts';

const program = `
  process.chdir(process.argv[1]);
  for (let depth = 0; depth < 60; depth++) {
    require('fs').mkdirSync('d'.repeat(200));
    process.chdir('d'.repeat(200));
  }
  require('fs').writeFileSync('file', 'x');
`;

/** Makes folders within each other as a program can, whose path is longer than the system takes, and a file in the last one. */
async function fillDeep(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, ['-e', program, folder], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
}

/** Makes a folder and a file whose names are no UTF-8. */
async function fillStrange(folder: string): Promise<void> {
  const strange = Buffer.concat([Buffer.from(`${folder}/name `), Buffer.from([0xff])]);
  await mkdir(strange);
  await writeFile(Buffer.concat([strange, Buffer.from('/file')]), 'x'.repeat(10_000));
}

async function directory(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'millrace-paths-'));
  onTestFinished(() => removeTree(root));
  return root;
}

describe('what a program leaves in its workspace', () => {
  it.each([
    ['folders within each other without an end', fillDeep],
    ['names that are no UTF-8', fillStrange],
  ])('fails its node with a code and is removed: %s', async (_, fill) => {
    const root = await directory();
    await writeFile(join(root, 'kept.txt'), 'x');
    await fill(root);

    const { files, unstorable } = await scan(root, 10_000);
    const checked = assertStorablePaths(root, unstorable);

    await expect(checked).rejects.toMatchObject({ code: 'WORKSPACE_PATH_INVALID' });
    expect([...files.keys()]).toEqual(['kept.txt']);
    const after = await scan(root, 10_000);
    expect([[...after.files.keys()], after.unstorable]).toEqual([['kept.txt'], []]);
  });

  it('is counted in its caches whatever the names are, and removed with them', async () => {
    const [root, other] = [await directory(), await directory()];
    await mkdir(join(root, '.venv'));
    await fillStrange(join(root, '.venv'));
    await fillDeep(join(other, 'node_modules'));

    const large = boundCaches(root, ['.venv'], { files: 10, total: 9000 });
    const deep = boundCaches(other, ['node_modules']);

    await expect(large).rejects.toMatchObject({ code: 'WORKSPACE_TOO_LARGE' });
    await expect(deep).rejects.toMatchObject({ code: 'WORKSPACE_PATH_INVALID' });
    expect([await readdir(root), await readdir(other)]).toEqual([[], []]);
  });

  it('is removed after its run, and does not keep the folders of other runs', async () => {
    const root = await directory();
    const folders = new RunFolders({
      directory: root,
      runs: {
        endOf: async () => ({ type: 'ended', at: 0 }),
        now: Date.now,
        installation: { id: async () => 'own', isDurable: true },
      },
      forget: () => undefined,
      report: (error) => expect.fail(String(error)),
    });
    const runs = Array.from({ length: 10 }, (_, at) => `evil~${at}`);
    for (const run of runs) {
      const workspace = folders.workspaceOf(run, 's0');
      await fillDeep(workspace);
      const closed = join(workspace, 'closed');
      await mkdir(join(closed, 'inner'), { recursive: true });
      await chmod(closed, 0);
    }
    const fair = join(folders.workspaceOf('fair', 's0'), 'node_modules');
    await mkdir(fair, { recursive: true });
    for (const run of [...runs, 'fair']) await utimes(join(folders.workspaceOf(run, 's0'), '..'), 0, 0);

    await folders.sweep();

    expect(existsSync(fair)).toBe(false);
    expect(await readdir(root)).toEqual([]);
  });
});

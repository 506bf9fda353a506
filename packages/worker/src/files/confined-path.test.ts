import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../../../test/support/fixtures.ts';
import { createReadableFiles } from './confined-path.ts';

const root = directoryBeforeAll();
beforeAll(async () => {
  for (const folder of ['docs', 'data/workspaces']) await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, 'docs', 'a.md'), 'a');
  await writeFile(join(root, 'data', 'secret'), 'x');
  await symlink('/proc/self/environ', join(root, 'docs', 'environment'));
  await symlink(join(root, 'data', 'secret'), join(root, 'docs', 'linked'));
});

const files = (allowed?: readonly string[]) =>
  createReadableFiles({ allowed, workspaces: join(root, 'data/workspaces') });

it('lets runs of the default tenant read all files, and those of others none', async () => {
  const path = join(root, 'docs', 'a.md');

  expect(await files()(path, 'run_1')).toBe(path);
  await expect(files()(path, 'acme~run_1')).rejects.toMatchObject({ code: 'MEMORY_FILES_REFUSED' });
});

it('lets runs of all tenants read what the operator allows, and nothing else', async () => {
  const readable = files([join(root, 'docs')]);

  expect(await readable(join(root, 'docs', 'a.md'), 'acme~run_1')).toBe(join(root, 'docs', 'a.md'));
  expect(await readable(join(root, 'docs'), 'run_1')).toBe(join(root, 'docs'));
  for (const run of ['run_1', 'acme~run_1']) {
    await expect(readable('/etc/passwd', run)).rejects.toMatchObject({ code: 'MEMORY_FILES_REFUSED' });
  }
});

it.each([
  '/proc/self/environ',
  '/proc/self/root/etc/passwd/../../proc/1/environ',
  '/dev/zero',
  'linked',
  'environment',
  '../data/secret',
])('lets nobody read %s', async (path) => {
  for (const allowed of [undefined, ['/'], [root]]) {
    await expect(
      files(allowed)(join(path.startsWith('/') ? '' : join(root, 'docs'), path), 'run_1'),
    ).rejects.toMatchObject({
      code: 'MEMORY_FILES_REFUSED',
    });
  }
});

import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createInterpreters } from './interpreter.ts';

let workspaces: string;
let workspace: string;
beforeEach(async () => {
  workspaces = await mkdtemp(join(tmpdir(), 'millrace-workspaces-'));
  workspace = join(workspaces, 'run_1');
  await mkdir(workspace);
});
afterEach(() => rm(workspaces, { recursive: true, force: true }));

/** Writes an executable script that leaves a file behind when something executes it. */
async function writeTrap(path: string): Promise<string> {
  const trace = join(workspaces, 'executed');
  await writeFile(path, `#!/bin/sh\n: > ${trace}\necho /bin/sh\n`);
  await chmod(path, 0o755);
  return trace;
}

const interpreters = (path: string) => createInterpreters({ env: { PATH: path }, workspaces });

it.each([
  ['a path in the workspace', './python-x'],
  ['a path through another folder', '../run_1/python-x'],
])('never executes a script that an author names by %s', async (_what, written) => {
  const trace = await writeTrap(join(workspace, 'python-x'));

  const found = await interpreters('/usr/bin').find(written, workspace);

  expect(found).toBe(join(workspace, 'python-x'));
  expect(existsSync(trace)).toBe(false);
});

it('never executes a script that an author names by an absolute path', async () => {
  const trace = await writeTrap(join(workspace, 'python-x'));

  await interpreters('/usr/bin').find(join(workspace, 'python-x'), workspace);

  expect(existsSync(trace)).toBe(false);
});

it.each(['', '.', 'run_1'])('ignores the folder "%s" of PATH, which depends on the directory', async (folder) => {
  const trace = await writeTrap(join(process.cwd(), 'python-planted'));

  const found = await interpreters(`${folder}:/usr/bin`).find('python-planted', workspace);
  await rm(join(process.cwd(), 'python-planted'));

  expect(found).toBeUndefined();
  expect(existsSync(trace)).toBe(false);
});

it('asks a script that PATH names for the program behind it', async () => {
  const folder = join(workspaces, 'shims');
  await mkdir(folder);
  await writeTrap(join(folder, 'python3'));

  expect(await interpreters(folder).find('python3', workspace)).toBe('/bin/sh');
});

it.each(['../run_2/tool', './link'])('refuses %s, which is in the workspace of another run', async (written) => {
  await mkdir(join(workspaces, 'run_2'));
  await writeTrap(join(workspaces, 'run_2', 'tool'));
  await symlink(join(workspaces, 'run_2', 'tool'), join(workspace, 'link'));

  await expect(interpreters('/usr/bin').find(written, workspace)).rejects.toMatchObject({
    code: 'INTERPRETER_UNUSABLE',
  });
});

it('refuses a name with a NUL character', async () => {
  await expect(interpreters('/usr/bin').find('python3\0x', workspace)).rejects.toMatchObject({
    code: 'INTERPRETER_UNUSABLE',
  });
});

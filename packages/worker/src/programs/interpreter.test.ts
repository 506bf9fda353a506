import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { directoryBeforeEach } from '../../../../test/support/fixtures.ts';
import { createInterpreters } from './interpreter.ts';

const home = process.cwd();

const workspaces = directoryBeforeEach();
let workspace: string;
beforeEach(async () => {
  workspace = join(workspaces, 'run_1');
  await mkdir(workspace);
});

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

  expect(found).toEqual({ file: join(workspace, 'python-x'), installation: [] });
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

  expect(await interpreters(folder).find('python3', workspace)).toMatchObject({ file: '/bin/sh' });
});

it('says why a script that PATH names finds no program', async () => {
  const folder = join(workspaces, 'shims');
  await mkdir(folder);
  const said = '#!/bin/sh\necho "pyenv: version \'2.9\' is not installed" >&2; exit 1\n';
  await writeFile(join(folder, 'python3'), said, { mode: 0o755 });

  await expect(interpreters(folder).find('python3', workspace)).rejects.toMatchObject({
    code: 'INTERPRETER_UNUSABLE',
    message: `${join(folder, 'python3')} is a script that finds no Python: pyenv: version '2.9' is not installed`,
  });
});

it.each(['../run_2/tool', './link'])('refuses %s, which is in the workspace of another run', async (written) => {
  await mkdir(join(workspaces, 'run_2'));
  await writeTrap(join(workspaces, 'run_2', 'tool'));
  await symlink(join(workspaces, 'run_2', 'tool'), join(workspace, 'link'));

  await expect(interpreters('/usr/bin').find(written, workspace)).rejects.toMatchObject({
    code: 'INTERPRETER_UNUSABLE',
  });
});

describe('an installation', () => {
  const elsewhere = directoryBeforeEach();
  beforeEach(async () => {
    await mkdir(join(elsewhere, 'bin'));
    await writeTrap(join(elsewhere, 'bin', 'tool'));
  });

  const parts = () => ['bin', 'lib', 'lib64', 'pyvenv.cfg'].map((part) => join(elsewhere, part));

  it('has the folders beside a program that the author names by its path', async () => {
    const found = await interpreters('/usr/bin').find(join(elsewhere, 'bin/tool'), workspace);

    expect(found).toEqual({ file: join(elsewhere, 'bin/tool'), installation: parts() });
  });

  it('is not read by a link in the workspace, which a program can have made', async () => {
    await symlink(join(elsewhere, 'bin/tool'), join(workspace, 'tool'));

    await expect(interpreters('/usr/bin').find('./tool', workspace)).rejects.toMatchObject({
      code: 'INTERPRETER_UNUSABLE',
    });
  });

  it('is read by such a link where PATH has the program, as a virtual environment in the workspace does', async () => {
    await symlink(join(elsewhere, 'bin/tool'), join(workspace, 'tool'));

    const found = await interpreters(`/usr/bin:${elsewhere}/bin/`).find('./tool', workspace);

    expect(found).toEqual({ file: join(workspace, 'tool'), installation: parts() });
  });

  it.each([
    ['another name of its folder', (name: string) => join(elsewhere, 'alias', 'run_1', name)],
    ['its own name', (name: string) => join(workspace, name)],
  ])('has nothing of a workspace that is named by %s', async (_what, named) => {
    await symlink(workspaces, join(elsewhere, 'alias'));
    await mkdir(join(workspace, 'bin'));
    await writeTrap(join(workspace, 'bin/tool'));
    await symlink('/', join(workspace, 'lib'));

    const found = await interpreters('/usr/bin').find(named('bin/tool'), workspace);

    expect(found).toEqual({ file: named('bin/tool'), installation: [] });
  });

  it.each(['/proc/self/exe', '/proc/self/root/bin/sh', '/proc/self/cwd/bin/tool'])('refuses %s', async (written) => {
    process.chdir(elsewhere);
    onTestFinished(() => process.chdir(home));

    await expect(interpreters('/usr/bin').find(written, workspace)).rejects.toMatchObject({
      code: 'INTERPRETER_UNUSABLE',
    });
  });
});

it('refuses a name with a NUL character', async () => {
  await expect(interpreters('/usr/bin').find('python3\0x', workspace)).rejects.toMatchObject({
    code: 'INTERPRETER_UNUSABLE',
  });
});

import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { NodeError } from '@millrace/core';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { directoryBeforeAll } from '../../../../test/support/fixtures.ts';
import { runProcess } from './child-process.ts';
import { foldersOf, programEnvironment } from './config.ts';
import { createInterpreters, findProgram } from './interpreter.ts';
import type { SandboxLevel } from './sandbox.ts';
import { createSandbox, probeSandboxTools } from './sandbox.ts';

const log = pino({ level: 'silent' });
const env = programEnvironment();
const has = async (name: string) =>
  (await findProgram(name, { folders: foldersOf(env), workspace: '/' })) !== undefined;

const own = { seconds: 1, run: 'run_1' };
const foreign = { seconds: 1, run: 'acme~run_1' };

const workspace = directoryBeforeAll();

/** A bubblewrap that does not know these options, as earlier versions do not. */
const olderBubblewrap = (unknown: readonly string[]): string => `#!/usr/bin/python3
import os, sys
with os.fdopen(3, "rb") as pipe: words = pipe.read()
if set(words.decode().split("\\0")) & set(${JSON.stringify(unknown)}): sys.exit(1)
read, write = os.pipe()
os.set_inheritable(read, True)
os.write(write, words)
os.close(write)
os.execv("/usr/bin/bwrap", ["bwrap", "--args", str(read), *sys.argv[3:]])
`;

async function run(level: SandboxLevel, script: string, seconds = 10) {
  const command = { file: '/bin/sh', args: ['-c', script], cwd: workspace, env: { ...env, SECRET: 'x y\n"z"' } };
  const confined = await createSandbox(level, { log, env }).confine(command, { seconds, run: 'run_1' });
  const { code, stdout } = await runProcess(confined, { timeoutMs: 60_000, signal: new AbortController().signal });
  return { code, output: String(stdout.start), confined };
}

describe('a sandbox', () => {
  it('of the kind none leaves the command unchanged', async () => {
    const { confined } = await run('none', 'true');

    expect(confined.file).toBe('/bin/sh');
  });

  it('runs a command in its directory with its variables on every machine', async () => {
    const { code, output } = await run('auto', 'pwd; echo "$SECRET"; echo made > file; exit 3');

    expect([code, output]).toEqual([3, `${workspace}\nx y\n"z"\n`]);
    expect(existsSync(join(workspace, 'file'))).toBe(true);
  });

  it('refuses to run without bubblewrap where that is required', async () => {
    const nowhere = createSandbox('bubblewrap', { log, env: { ...env, PATH: workspace } });

    await expect(nowhere.confine({ file: '/bin/sh', args: [], cwd: workspace, env }, own)).rejects.toMatchObject({
      code: 'SANDBOX_MISSING',
    });
  });
});

describe('without bubblewrap, a program of another tenant than the default one', () => {
  const command = () => ({ file: '/bin/true', args: [], cwd: workspace, env });
  const without = (level: SandboxLevel) => createSandbox(level, { log, env: { ...env, PATH: workspace } });

  it('is refused, and one of the default tenant is not', async () => {
    const sandbox = without('auto');

    await expect(sandbox.confine(command(), foreign)).rejects.toMatchObject({
      code: 'SANDBOX_REQUIRED',
      message: expect.stringMatching(/"acme".*Install `bwrap`.*MILLRACE_SANDBOX=limits/),
    });
    await expect(sandbox.confine(command(), own)).resolves.toMatchObject({ file: '/bin/true' });
  });

  it.each<SandboxLevel>(['limits', 'none'])('runs where the operator chose %s', async (level) => {
    await expect(without(level).confine(command(), foreign)).resolves.toMatchObject({ file: '/bin/true' });
  });
});

it('allows MCP servers of other tenants only where the operator has chosen to run them unconfined', () => {
  const refused = (level: SandboxLevel, run: string) => {
    try {
      createSandbox(level, { log, env }).assertMayStartServers(run);
      return false;
    } catch (error) {
      return error instanceof NodeError && error.code;
    }
  };

  expect([refused('auto', 'acme~run_1'), refused('bubblewrap', 'acme~run_1')]).toEqual([
    'SANDBOX_REQUIRED',
    'SANDBOX_REQUIRED',
  ]);
  expect([refused('auto', 'run_1'), refused('limits', 'acme~run_1'), refused('none', 'acme~run_1')]).toEqual([
    false,
    false,
    false,
  ]);
});

describe.runIf(await has('prlimit'))('limits', () => {
  it('cap the size of files and the time on the processor', async () => {
    const { output } = await run('limits', 'ulimit -f; ulimit -t', 2);

    // The shell counts files in blocks of 512 bytes.
    expect(output).toBe(`${1024 ** 3 / 512}\n16\n`);
  });
});

describe.runIf(await has('bwrap'))('bubblewrap', () => {
  it('hides the files and the processes of others, and the network', async () => {
    const theirs = `${workspace}-of-others`;
    await writeFile(theirs, 'x');
    onTestFinished(() => rm(theirs));

    const { output } = await run(
      'bubblewrap',
      `ls ${homedir()} /etc/passwd ${theirs} 2>/dev/null; ls -d /proc/[0-9]* | wc -l; grep -c : /proc/net/dev`,
    );

    const [processes, networks] = output.trim().split('\n').map(Number);
    expect(processes).toBeLessThan(10);
    expect(networks).toBe(1);
  });

  describe('with an interpreter', () => {
    /** A folder that no program may read, as /tmp of the machine is hidden anyway. */
    let home: string;
    beforeEach(async () => {
      home = await mkdtemp(join(homedir(), '.millrace-sandbox-'));
      await mkdir(join(home, 'bin'));
      await copyFile('/bin/sh', join(home, 'bin', 'sh'));
      await writeFile(join(home, 'secret'), 'x');
    });
    afterEach(() => rm(home, { recursive: true }));

    async function runBy(written: string, script: string): Promise<string> {
      const found = await createInterpreters({ env, workspaces: dirname(workspace) }).find(written, workspace);
      if (found === undefined) throw new Error(`There is no ${written}.`);
      const command = { file: found.file, args: ['-c', script], cwd: workspace, env };
      const confined = await createSandbox('bubblewrap', { log, env }).confine(command, { ...own, ...found });
      const { stdout } = await runProcess(confined, { timeoutMs: 60_000, signal: new AbortController().signal });
      return String(stdout.start);
    }

    it("shows only the parts of the interpreter's folder that the interpreter needs", async () => {
      expect(await runBy(join(home, 'bin', 'sh'), `echo ${home}/*`)).toBe(`${home}/bin\n`);
    });

    it('shows nothing by links that a program has left in the workspace', async () => {
      await mkdir(join(workspace, 'bin'));
      await copyFile('/bin/sh', join(workspace, 'bin', 'sh'));
      await symlink(home, join(workspace, 'lib'));
      const alias = join(home, 'alias');
      await symlink(dirname(workspace), alias);
      onTestFinished(() => rm(join(workspace, 'bin'), { recursive: true }));
      onTestFinished(() => rm(join(workspace, 'lib')));

      const seen = await runBy('./bin/sh', 'ls lib/ 2>&1; echo ran');

      expect(seen).toMatch(/No such file or directory\nran\n$/);
      expect(await runBy(join(alias, basename(workspace), 'bin/sh'), 'ls lib/')).toBe('');
    });
  });

  it('does not show variables in the list of processes', async () => {
    const { confined } = await run('bubblewrap', 'true');

    expect(JSON.stringify([confined.args, confined.env])).not.toContain('SECRET');
  });

  it('mounts the system read-only', async () => {
    const { code } = await run('bubblewrap', 'touch /usr/millrace-was-here');

    expect(code).not.toBe(0);
  });
});

describe.runIf(await has('bwrap'))('a program in bubblewrap', () => {
  it('has no capabilities and another user, and cannot mount the system again to write', async () => {
    const { output } = await run(
      'bubblewrap',
      `id -u; id -g; grep -h ^Cap /proc/self/status | sort -u -k2 | awk '{print $2}'
      mount -o remount,bind,rw /usr 2>/dev/null; unshare -U true 2>/dev/null && echo namespace
      for place in /usr / /dev /etc /proc/sys/kernel/hostname /proc/sysrq-trigger; do
        (: > "$place/millrace-was-here" || : >> "$place") 2>/dev/null && echo "wrote $place"
      done`,
    );

    expect(output).toBe('65534\n65534\n0000000000000000\n');
    expect(existsSync('/usr/millrace-was-here')).toBe(false);
  });

  it('keeps at most 512 MiB in each temporary file system', async () => {
    const { output } = await run(
      'bubblewrap',
      `for place in /tmp /dev/shm; do df -k "$place" | awk 'END {print $2}'; done`,
    );

    expect(output).toBe('524288\n524288\n');
  });

  it('has the size of temporary file systems that the operator chose', async () => {
    const sandbox = createSandbox('bubblewrap', { log, env, tmpMb: 3 });
    const script =
      'head -c 4000000 /dev/zero > /tmp/x; head -c 4000000 /dev/zero > /dev/shm/x; wc -c < /tmp/x; wc -c < /dev/shm/x';
    const command = { file: '/bin/sh', args: ['-c', script], cwd: workspace, env };

    const confined = await sandbox.confine(command, own);
    const { stdout } = await runProcess(confined, { timeoutMs: 60_000, signal: new AbortController().signal });

    expect(String(stdout.start)).toBe('3145728\n3145728\n');
  });

  it.each([
    ['0.7', ['--disable-userns']],
    ['0.6', ['--disable-userns', '--size']],
  ])(
    'is confined by bubblewrap %s without what that cannot do',
    async (_version, unknown) => {
      const folder = await mkdtemp(join(tmpdir(), 'millrace-bwrap-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      await writeFile(join(folder, 'bwrap'), olderBubblewrap(unknown), { mode: 0o755 });
      const script = 'id -u; touch /usr/x /x /dev/x 2>/dev/null; grep CapEff /proc/self/status | cut -f 2';
      const command = { file: '/bin/sh', args: ['-c', script], cwd: workspace, env };
      const PATH = `${folder}:${env['PATH']}`;

      const confined = await createSandbox('bubblewrap', { log, env: { ...env, PATH } }).confine(command, own);
      const { stdout } = await runProcess(confined, { timeoutMs: 25_000, signal: new AbortController().signal });

      expect(confined.extra?.split('\0')).not.toEqual(
        expect.arrayContaining([expect.stringMatching(unknown.join('|'))]),
      );
      expect(String(stdout.start)).toBe('65534\n0000000000000000\n');
    },
    30_000,
  );

  it('leaves files that the worker can change and remove', async () => {
    await run('bubblewrap', 'mkdir -p made && echo x > made/file && chmod 700 made && chmod 600 made/file');

    await writeFile(join(workspace, 'made/file'), 'y');
    await rm(join(workspace, 'made'), { recursive: true });

    expect(existsSync(join(workspace, 'made'))).toBe(false);
  });

  it('shares memory between its processes', async () => {
    const script = 'import multiprocessing; print(sum(multiprocessing.Pool(2).map(abs, [-1, -2])))';
    const { output } = await run('bubblewrap', `/usr/bin/python3 -c '${script}' 2>&1`);

    expect(output).toBe('3\n');
  });

  const injected = 'x\0--bind\0/\0/host\0--share-net';

  it.each([
    ['the value of a variable', { env: { A: injected } }],
    ['the name of a variable', { env: { [`A${injected}`]: '' } }],
    ['an argument', { args: ['-c', injected] }],
    ['its path', { file: `/bin/sh${injected}` }],
    ['its directory', { cwd: `${tmpdir()}${injected}` }],
  ])('gets no options for bubblewrap by a NUL character in %s', async (_where, part) => {
    const command = { file: '/bin/sh', args: [], cwd: workspace, env, ...part };

    for (const level of ['bubblewrap', 'limits', 'none'] as const) {
      await expect(createSandbox(level, { log, env }).confine(command, own)).rejects.toMatchObject({
        code: 'PROGRAM_ARGUMENT_INVALID',
      });
    }
  });
});

it('takes a bubblewrap that may not be executed for none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'bwrap'), '#!/bin/sh\n', { mode: 0o644 });

  expect(await probeSandboxTools('auto', { ...env, PATH: folder })).not.toHaveProperty('bwrap');
});

import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programEnvironment } from '../config.ts';
import { runChild } from './child.ts';
import { findProgram } from './interpreter.ts';
import type { SandboxLevel } from './sandbox.ts';
import { createSandbox } from './sandbox.ts';

const log = pino({ level: 'silent' });
const env = programEnvironment();
const has = async (name: string) =>
  (await findProgram(name, { path: env['PATH'] ?? '', workspace: '/' })) !== undefined;

let workspace: string;
beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'millrace-sandbox-'));
});
afterAll(() => rm(workspace, { recursive: true, force: true }));

async function run(level: SandboxLevel, script: string, seconds = 10) {
  const command = { file: '/bin/sh', args: ['-c', script], cwd: workspace, env: { ...env, SECRET: 'x y\n"z"' } };
  const confined = await createSandbox(level, { log, env }).confine(command, seconds);
  const { code, stdout } = await runChild(confined, { timeoutMs: 10_000, signal: new AbortController().signal });
  return { code, output: String(stdout.start), confined };
}

describe('a sandbox', () => {
  it('of no kind leaves the command as it is', async () => {
    const { confined } = await run('none', 'true');

    expect(confined.file).toBe('/bin/sh');
  });

  it('runs a command in its directory with its variables, whatever the machine can do', async () => {
    const { code, output } = await run('auto', 'pwd; echo "$SECRET"; echo made > file; exit 3');

    expect([code, output]).toEqual([3, `${workspace}\nx y\n"z"\n`]);
    expect(existsSync(join(workspace, 'file'))).toBe(true);
  });

  it('refuses to go without bubblewrap where that is asked for', async () => {
    const nowhere = createSandbox('bubblewrap', { log, env: { ...env, PATH: workspace } });

    await expect(nowhere.confine({ file: '/bin/sh', args: [], cwd: workspace, env }, 1)).rejects.toMatchObject({
      code: 'SANDBOX_MISSING',
    });
  });
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
    await writeFile(join(workspace, '../millrace-not-mine'), 'x');

    const { output } = await run(
      'bubblewrap',
      `ls ${homedir()} /etc/passwd ../millrace-not-mine 2>/dev/null; ls -d /proc/[0-9]* | wc -l; grep -c : /proc/net/dev`,
    );

    const [processes, networks] = output.trim().split('\n').map(Number);
    expect(processes).toBeLessThan(10);
    expect(networks).toBe(1);
  });

  it('does not show variables in the list of processes', async () => {
    const { confined } = await run('bubblewrap', 'true');

    expect(JSON.stringify([confined.args, confined.env])).not.toContain('SECRET');
  });

  it('takes the system away from writing', async () => {
    const { code } = await run('bubblewrap', 'touch /usr/millrace-was-here');

    expect(code).not.toBe(0);
  });
});

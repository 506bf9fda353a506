import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../../../test/support/fixtures.ts';
import { runProcess } from './child-process.ts';

const never = new AbortController().signal;
const minuteMs = 60_000;

const node = (script: string, cwd = tmpdir()) => ({ file: process.execPath, args: ['-e', script], cwd, env: {} });

describe('a child process', () => {
  it('returns its output and its exit code', async () => {
    const script = "console.log('out'); console.error('err'); process.exitCode = 3";

    const { code, stdout, stderr } = await runProcess(node(script), { timeoutMs: minuteMs, signal: never });

    expect([code, String(stdout.start), String(stderr.start)]).toEqual([3, 'out\n', 'err\n']);
  });

  it('returns a signal as a negative code', async () => {
    const ended = await runProcess(node("process.kill(process.pid, 'SIGKILL')"), {
      timeoutMs: minuteMs,
      signal: never,
    });

    expect(ended.code).toBe(-9);
  });

  it('receives only the given variables', async () => {
    const command = { ...node('console.log(Object.keys(process.env).join())'), env: { ONE: '1' } };

    const { stdout } = await runProcess(command, { timeoutMs: minuteMs, signal: never });

    expect(String(stdout.start)).toBe('ONE\n');
  });

  it('keeps the beginning of a long output and continues', async () => {
    const { code, stdout } = await runProcess(node("process.stdout.write('x'.repeat(3_000_000))"), {
      timeoutMs: minuteMs,
      signal: never,
    });

    expect([code, stdout.start.length, stdout.total]).toEqual([0, 1024 * 1024, 3_000_000]);
  });

  it('does not start after its signal is aborted', async () => {
    const started = runProcess(node(''), { timeoutMs: minuteMs, signal: AbortSignal.abort(new Error('stopped')) });

    await expect(started).rejects.toThrow('stopped');
  });
});

describe('a child process with children', () => {
  const directory = directoryBeforeAll();

  /** Starts a grandchild, writes its id, and waits, as both do. */
  const parent = `
    const { spawn } = require('node:child_process');
    const { renameSync, writeFileSync } = require('node:fs');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    writeFileSync('unnamed', String(child.pid));
    renameSync('unnamed', 'grandchild');
    console.log('ready');
    setInterval(() => {}, 1000)`;

  const grandchildLives = async (): Promise<boolean> => {
    const pid = await readFile(join(directory, 'grandchild'), 'utf8');
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'gone');
    // Killed, but its end has not been requested yet.
    return state !== 'gone' && !/\) Z /.test(state);
  };

  it('is killed with them at its timeout', async () => {
    const { code, stdout } = await runProcess(node(parent, directory), { timeoutMs: 5_000, signal: never });

    expect([code, String(stdout.start)]).toEqual([undefined, 'ready\n']);
    // Killing is asked for at once, but carried out when the system gets to it.
    await expect.poll(grandchildLives).toBe(false);
  });

  it('is killed with them when its signal is aborted', async () => {
    await rm(join(directory, 'grandchild'), { force: true });
    const controller = new AbortController();
    const running = runProcess(node(parent, directory), { timeoutMs: minuteMs, signal: controller.signal });
    const stopped = expect(running).rejects.toThrow('stopped');
    await expect.poll(() => existsSync(join(directory, 'grandchild'))).toBe(true);
    controller.abort(new Error('stopped'));

    await stopped;
    // Killing is asked for at once, but carried out when the system gets to it.
    await expect.poll(grandchildLives).toBe(false);
  });
});

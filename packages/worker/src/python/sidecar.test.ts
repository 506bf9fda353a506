import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { functionEnvironment } from '../programs/config.ts';
import type { CallLimit } from './sidecar.ts';
import { createSidecar, loadingMs } from './sidecar.ts';

const functions = `import os, time

def until(file):
    while not os.path.exists(file): time.sleep(0.01)
    return True

def pid():
    return os.getpid()

def die():
    os._exit(1)

def sleep():
    time.sleep(60)

# A process that takes the place of another one loads its modules until somebody lets it.
if os.path.exists("GATE"):
    until("OPEN")
open("GATE", "w").close()
`;

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Starts a process with these functions. */
function sidecarOfTest() {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-functions-'));
  mkdirSync(join(directory, 'function_calling'));
  const file = (name: string) => join(directory, name);
  const text = functions.replaceAll('GATE', file('loaded')).replaceAll('OPEN', file('open'));
  writeFileSync(join(directory, 'function_calling', 'process.py'), text);
  const sidecar = createSidecar({
    directory,
    python: 'python3',
    env: functionEnvironment([]),
    onOutput: () => undefined,
  });
  onTestFinished(async () => {
    await sidecar.close();
    rmSync(directory, { recursive: true });
  });
  const call = (name: string, limit: CallLimit = {}, args = {}) =>
    sidecar.ask({ kind: 'function_calling', name, args }, limit);
  const make = (name: string) => writeFileSync(file(name), '');
  return { call, make, file };
}

/** Time is what the test says, for the timers of this process. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

it('starts another process as soon as one has ended, while its output is still open', async () => {
  const { call, make } = sidecarOfTest();
  make('open');
  const first = Number(await call('pid'));

  let isClosed = false;
  const death = call('die').catch((error: unknown) => {
    isClosed = true;
    return error;
  });
  while (exists(first)) await turn();
  expect(isClosed).toBe(false);
  const next = call('pid');

  expect(await death).toMatchObject({ code: 'FUNCTION_PROCESS_ENDED' });
  expect(await next).not.toBe(first);
});

it('does not count the start of a process against the time of a call, nor ends it for a call that is given up', async () => {
  const { call, make } = sidecarOfTest();
  await call('pid');
  await expect(call('die')).rejects.toMatchObject({ code: 'FUNCTION_PROCESS_ENDED' });
  holdTimers();
  const aborted = new AbortController();
  const patient = call('pid', { timeoutMs: 1000 });
  const impatient = call('pid', { signal: aborted.signal });

  await vi.advanceTimersByTimeAsync(loadingMs - 1000);
  aborted.abort(new Error('given up'));
  await expect(impatient).rejects.toThrow('given up');
  make('open');

  const pid = await patient;
  expect(pid).toBeGreaterThan(0);
  expect(await call('pid')).toBe(pid);
});

it('ends a process that does not load the modules', async () => {
  const { call } = sidecarOfTest();
  await call('pid');
  await expect(call('die')).rejects.toMatchObject({ code: 'FUNCTION_PROCESS_ENDED' });
  holdTimers();
  const never = expect(call('pid')).rejects.toMatchObject({ code: 'FUNCTION_TIMEOUT' });

  await vi.advanceTimersByTimeAsync(loadingMs);

  await never;
});

it('ends a call at its time, and its process when concurrent calls have been answered', async () => {
  const { call, make, file } = sidecarOfTest();
  make('open');
  const first = Number(await call('pid'));
  holdTimers();
  const patient = call('until', {}, { file: file('go') });
  const late = expect(call('sleep', { timeoutMs: 1000 })).rejects.toMatchObject({ code: 'FUNCTION_TIMEOUT' });
  // Both have been called.
  await call('pid');

  await vi.advanceTimersByTimeAsync(1000);
  await late;
  expect(await call('pid')).not.toBe(first);
  expect(exists(first)).toBe(true);
  make('go');

  expect(await patient).toBe(true);
  while (exists(first)) await turn();
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { functionEnvironment } from '../programs/config.ts';
import { createSidecar } from './sidecar.ts';

const functions = `import os

def pid():
    return os.getpid()

def die():
    os._exit(1)
`;

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('starts another process as soon as one has ended, while its output is still open', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-functions-'));
  mkdirSync(join(directory, 'function_calling'));
  writeFileSync(join(directory, 'function_calling', 'process.py'), functions);
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
  const call = (name: string) => sidecar.ask({ kind: 'function_calling', name, args: {} }, {});
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

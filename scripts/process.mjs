import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Prints one line about what the bootstrap does. */
export const say = (line) => console.error(`millrace: ${line}`);

/** Runs a program in the checkout with its output live; returns its exit code (128 + n when a signal ended it). */
export function run(command, args, env = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  // Ctrl-C reaches the child by itself; this process waits for what the child makes of it.
  const wait = () => {};
  const forward = () => child.kill('SIGTERM');
  process.on('SIGINT', wait);
  process.on('SIGTERM', forward);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)));
  }).finally(() => {
    process.off('SIGINT', wait);
    process.off('SIGTERM', forward);
  });
}

/** Runs a script of the checkout with this Node. */
export const runNode = (script, args, env) => run(process.execPath, [script, ...args], env);

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Prints a line about what the bootstrap does, or several; on a terminal, over what the spinner of npm has left. */
export function say(text) {
  const { isTTY, columns } = process.stderr;
  // Some terminals do not report their width.
  process.stderr.write(isTTY ? `\r\u001b[K${wrapped(`millrace: ${text}`, columns || 80)}\n` : `millrace: ${text}\n`);
}

/** Breaks lines between words. Indented ones are commands and what is said about them, and stay whole. */
export const wrapped = (text, columns) =>
  text
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : wrappedLine(line, columns)))
    .join('\n');

function wrappedLine(line, columns) {
  const lines = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns)
      lines.push(last === undefined ? word : `  ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}

/** Does work that takes a while, and prints what it is, that it goes on, and the time that it took. */
export async function timed(what, work) {
  const began = performance.now();
  const seconds = () => `${Math.round((performance.now() - began) / 1000)} s`;
  say(what);
  const timer = setInterval(() => say(`${what}: ${seconds()} so far`), 10_000);
  try {
    const result = await work();
    say(`${what}: done in ${seconds()}`);
    return result;
  } finally {
    clearInterval(timer);
  }
}

/** Runs a program in the checkout with its output live; returns its exit code (128 + n when a signal ended it). */
export const run = (command, args, env = {}) =>
  exitCode(spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }));

/** Runs a script of the checkout with this Node. */
export const runNode = (script, args, env) => run(process.execPath, [script, ...args], env);

/** Runs a script of the checkout with this Node, and prints its output only if it fails; returns its exit code. */
export async function runQuietly(script, args = []) {
  const env = { ...process.env, ...(process.stderr.isTTY && { FORCE_COLOR: '1' }) };
  const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env });
  const output = [];
  child.stdout.on('data', (part) => output.push(part));
  child.stderr.on('data', (part) => output.push(part));
  const code = await exitCode(child);
  if (code !== 0) process.stderr.write(Buffer.concat(output));
  return code;
}

function exitCode(child) {
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

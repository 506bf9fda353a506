// `npm run dev`: builds on every save, and restarts `millrace up` after each build without errors.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { buildFlags } from './prepare.mjs';
import { root, say } from './process.mjs';

const command = ['packages/cli/dist/main.js', 'up', ...process.argv.slice(2)];
/** A restart does not wait long for activations that are under way: the next process executes them again. */
const env = { MILLRACE_STOP_GRACE: '2s', ...process.env };

let child;
let stopping = false;
/** The restarts that were asked for so far; each waits for the one before. */
let restarts = Promise.resolve();

function start() {
  const started = spawn(process.execPath, ['--enable-source-maps', ...command], { cwd: root, stdio: 'inherit', env });
  child = started;
  started.once('exit', (code, signal) => {
    if (child !== started) return;
    child = undefined;
    if (stopping) process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
    say(`up ended (${signal ?? `exit code ${code}`}); it starts again after the next change`);
  });
}

async function stop() {
  const running = child;
  if (running === undefined) return;
  child = undefined;
  running.kill('SIGTERM');
  if (running.exitCode === null && running.signalCode === null) await once(running, 'exit');
}

function restart() {
  restarts = restarts.then(async () => {
    await stop();
    if (!stopping) start();
  });
}

/** Ctrl-C in a terminal reaches the children by itself; a signal to this process alone is passed on. */
function shutDown(signal, code = 128 + constants.signals[signal]) {
  stopping = true;
  if (compiler.exitCode === null && compiler.signalCode === null) process.kill(-compiler.pid, 'SIGTERM');
  if (child === undefined) process.exit(code);
  child.kill(signal);
}
process.once('SIGINT', () => shutDown('SIGINT'));
process.once('SIGTERM', () => shutDown('SIGTERM'));

/** Files that the build in progress has written, and that `up` executes. */
let written = 0;

function onBuilt(errors) {
  if (errors > 0) say('the build has errors; what was started before goes on running');
  else if (written > 0 || child === undefined) {
    say(`built; starting: millrace ${command.slice(1).join(' ')}`);
    restart();
  }
  written = 0;
}

const watched = ['--watch', '--preserveWatchOutput', '--listEmittedFiles', '--pretty', 'packages/cli'];
// A process group of its own: the compiler is a child of the script that starts it.
const compiler = spawn(process.execPath, ['scripts/tsc.mjs', ...buildFlags, ...watched], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
});
compiler.once('exit', (code) => shutDown('SIGTERM', code ?? 1));
for await (const line of createInterface({ input: compiler.stdout })) {
  const [, errors] = /Found (\d+) errors?\. Watching/.exec(line) ?? [];
  if (line.startsWith('TSFILE: ')) written += line.endsWith('.js') ? 1 : 0;
  else if (line.trim() !== '') console.error(line);
  if (errors !== undefined) onBuilt(Number(errors));
}

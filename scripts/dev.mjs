// `npm run dev`: builds on every save, and restarts `millrace up` after each build without errors.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { root, say } from './process.mjs';

const given = process.argv.slice(2);
const command = ['packages/cli/dist/main.js', 'up', ...(given.length > 0 ? given : ['--port', '4700'])];
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

/** Ctrl-C in a terminal reaches the child by itself; a signal to this process alone is passed on. */
function shutDown(signal) {
  stopping = true;
  if (child === undefined) process.exit(128 + constants.signals[signal]);
  child.kill(signal);
}
process.once('SIGINT', () => shutDown('SIGINT'));
process.once('SIGTERM', () => shutDown('SIGTERM'));

let written = 0;
const system = {
  ...ts.sys,
  writeFile(path, ...rest) {
    if (path.endsWith('.js')) written += 1;
    ts.sys.writeFile(path, ...rest);
  },
};
const format = {
  getCurrentDirectory: () => root,
  getCanonicalFileName: (name) => name,
  getNewLine: () => '\n',
};

/** Codes of the compiler's statuses "Found 1 error" and "Found {0} errors" at the end of a build. */
const endOfBuild = new Set([6193, 6194]);
let errors = 0;

function onDiagnostic(diagnostic) {
  if (diagnostic.category === ts.DiagnosticCategory.Error) errors += 1;
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext([diagnostic], format));
}

function onStatus({ code }) {
  if (!endOfBuild.has(code)) return;
  if (errors > 0) say('the build has errors; what was started before goes on running');
  else if (written > 0 || child === undefined) {
    say(`built; starting: millrace ${command.slice(1).join(' ')}`);
    restart();
  }
  errors = 0;
  written = 0;
}

const host = ts.createSolutionBuilderWithWatchHost(system, undefined, onDiagnostic, undefined, onStatus);
ts.createSolutionBuilderWithWatch(host, [join(root, 'packages/cli')], {}).build();

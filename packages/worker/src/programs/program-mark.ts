import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { programEnvironment } from './config.ts';

/**
 * Finds all processes that a program has started, also those that have left its process group and session. Each program
 * gets a variable with a value of its own, its mark; the processes that it starts inherit it, and Linux shows the
 * environment of each process under /proc. A process that starts without the variable (`env -i`) and leaves the session
 * is not found: only a PID namespace, as bubblewrap makes, holds such a one.
 *
 * A mark begins with the identity of this process. A guard, which is a shell that reads from a pipe, outlives this
 * process by a moment and kills what bears such a mark, so that a worker that is killed leaves no programs behind.
 */
const variable = 'MILLRACE_PROGRAM';

/** The longest time that the processes of a program may take to end, each of them killed. */
const endingMs = 5_000;
const roundMs = 10;

/** Marks a program in its environment. */
export interface ProgramMark {
  readonly env: Readonly<Record<string, string>>;
  /** Kills all processes that bear the mark, and resolves when they have ended. */
  kill(): Promise<void>;
}

let guard: ChildProcess | undefined;

/** Returns a new mark. Without /proc, which only Linux has, it marks nothing and kills nothing. */
export function markProgram(): ProgramMark {
  const identity = identityOfThisProcess();
  if (identity === undefined) return { env: {}, kill: async () => undefined };
  guard ??= startGuard(`${variable}=${identity}.`);
  const value = `${identity}.${randomUUID()}`;
  return { env: { [variable]: value }, kill: () => killAll(`${variable}=${value}\0`) };
}

/** The PID namespace, process id and time of start of this process; no other process ever has the same three. */
function identityOfThisProcess(): string | undefined {
  try {
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    // Behind the name of the program, which may contain anything, the time of start is the 20th field.
    const start = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')[19];
    return namespace === undefined || start === undefined ? undefined : `${namespace}.${process.pid}.${start}`;
  } catch {
    return undefined;
  }
}

/** Kills in rounds: a process may start another one while it is being looked for. */
async function killAll(entry: string): Promise<void> {
  const until = performance.now() + endingMs;
  for (;;) {
    const pids = await processesWith(entry);
    if (pids.length === 0 || performance.now() > until) return;
    for (const pid of pids) killOne(pid);
    await sleep(roundMs);
  }
}

async function processesWith(entry: string): Promise<readonly number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(names.map(environmentOf));
  return names.filter((_, at) => environments[at]?.includes(entry)).map(Number);
}

/** A process that has ended has no environment, and that of other users cannot be read. */
const environmentOf = (pid: string): Promise<string> => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Its standard input ends with this process, however that ends. */
const guardScript = `
cat > /dev/null
for round in 1 2 3 4 5 6 7 8 9 10; do
  pids=$(grep -lsF "$1" /proc/[0-9]*/environ | cut -d / -f 3)
  [ -n "$pids" ] || exit 0
  kill -9 $pids 2> /dev/null
  sleep 0.1
done`;

function startGuard(entries: string): ChildProcess {
  const started = spawn('sh', ['-c', guardScript, 'millrace-guard', entries], {
    cwd: '/',
    env: programEnvironment(),
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const over = () => {
    if (guard === started) guard = undefined;
  };
  started.once('error', over);
  started.once('exit', over);
  started.stdin.once('error', over);
  // Neither may keep this process from ending.
  started.unref();
  if ('unref' in started.stdin && typeof started.stdin.unref === 'function') started.stdin.unref();
  return started;
}

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { programEnvironment } from './config.ts';

/**
 * Finds all processes that a program has started, also those that have left its process group and session. Each program
 * gets a variable with a unique value, its mark; the processes that it starts inherit it, and Linux shows the
 * environment of each process under /proc. A process that starts without the variable (`env -i`) and leaves the session
 * is not found: only a PID namespace, as bubblewrap makes, holds such a one.
 *
 * A mark begins with the identity of this process. A guard, which is a shell that reads from a pipe, outlives this
 * process by a moment and kills what bears such a mark, so that a worker that is killed leaves no programs behind.
 */
const variable = 'MILLRACE_PROGRAM';

/** The longest time that the processes of a program may take to end, each of them killed. */
const endingMs = 5_000;
/** The longest time that a new process may take to load its program, after which it is no process of the program. */
const loadingMs = 500;
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
  // Both count from the start of this process; a second is more than they differ by.
  const since = Number(identity.split('.').at(-1)) + (performance.now() / 1_000 - 1) * ticksPerSecond;
  return { env: { [variable]: value }, kill: () => killAll({ entry: `${variable}=${value}\0`, since }) };
}

/** The PID namespace, process id and time of start of this process; no other process ever has the same three. */
function identityOfThisProcess(): string | undefined {
  try {
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    const { start } = statIn(readFileSync('/proc/self/stat', 'latin1'));
    return namespace === undefined || start === undefined ? undefined : `${namespace}.${process.pid}.${start}`;
  } catch {
    return undefined;
  }
}

/** Returns the parent and the time of start, in ticks since the machine was started, from the file `stat` of a process. */
function statIn(stat: string): { readonly parent: string | undefined; readonly start: string | undefined } {
  // They are the 2nd and the 20th field behind the name of the program, which may contain anything.
  const fields = stat.replace(/^.*\) /s, '').split(' ');
  return { parent: fields[1], start: fields[19] };
}

/** Unit of the times of Linux under /proc. */
const ticksPerSecond = 100;

interface ProcessMark {
  /** The variable with its value, as it is in an environment. */
  readonly entry: string;
  /** Time at which the mark was made, in ticks since the machine was started. */
  readonly since: number;
}

/** Kills in rounds: a process may start another one while it is being looked for. */
async function killAll(marked: ProcessMark): Promise<void> {
  const until = performance.now() + endingMs;
  const untilKnown = performance.now() + loadingMs;
  for (;;) {
    const { pids, isComplete } = await processesWith(marked);
    if (pids.length === 0 && (isComplete || performance.now() > untilKnown)) return;
    if (performance.now() > until) return;
    for (const pid of pids) killOne(pid);
    await sleep(roundMs);
  }
}

/** Returns the processes that bear a mark; the result is not complete while a new process has no environment yet. */
async function processesWith({ entry, since }: ProcessMark): Promise<{ pids: readonly number[]; isComplete: boolean }> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(names.map(environmentOf));
  const empty = names.filter((_, at) => environments[at] === '');
  const loading = await Promise.all(empty.map((pid) => isLoading(pid, since)));
  return {
    pids: names.filter((_, at) => environments[at]?.includes(entry)).map(Number),
    isComplete: !loading.includes(true),
  };
}

/** A process that has ended has no environment, and that of other users cannot be read. */
const environmentOf = (pid: string): Promise<string | undefined> =>
  readFile(`/proc/${pid}/environ`, 'latin1').catch(() => undefined);

/**
 * Returns whether a process without an environment may be one that is just loading its program, which Linux shows so,
 * after the process that started it has ended: an ancestor of this process has adopted it then.
 */
async function isLoading(pid: string, since: number): Promise<boolean> {
  try {
    const { parent = '', start } = statIn(await readFile(`/proc/${pid}/stat`, 'latin1'));
    if (Number(start) < since || !ancestors().has(parent)) return false;
    // Threads of the kernel and ended processes, which have no environment either, have no program.
    await readlink(`/proc/${pid}/exe`);
    return true;
  } catch {
    return false;
  }
}

/** Returns the ids of the processes that started this one, directly or not. */
function ancestors(): ReadonlySet<string> {
  const found = new Set<string>();
  let pid = String(process.ppid);
  while (pid !== '0' && !found.has(pid)) {
    found.add(pid);
    pid = statIn(readFileSync(`/proc/${pid}/stat`, 'latin1')).parent ?? '0';
  }
  return found;
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/**
 * Its standard input ends with this process, however that ends. A process that is just loading its program has no
 * environment for a moment, so it is looked for at least three times.
 */
const guardScript = `
cat > /dev/null
for round in 1 2 3 4 5 6 7 8 9 10; do
  pids=$(grep -lsF "$1" /proc/[0-9]*/environ | cut -d / -f 3)
  [ -n "$pids" ] || [ "$round" -lt 3 ] || exit 0
  [ -z "$pids" ] || kill -9 $pids 2> /dev/null
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

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerHome } from './server-home.ts';

/**
 * Runs beside the server, in a separate session, so that it survives the command that started it. Every second: it
 * restarts a server that was killed if a process uses it, and stops one without users (the last user was killed,
 * otherwise it would have stopped it). A newcomer registers its use first and then checks for the file `closing`; the
 * supervisor does so in the opposite order, so one of both always sees the other. It does not restart a server that
 * ends by itself: that was stopped on purpose, or could not start and logged the reason. It kills a server whose folder was
 * removed: no process finds it any more, and its data are lost.
 */
const script = `
home=$1
cd "$home" || exit 1
shift
used() {
  for user in users/*; do
    user=\${user#users/}
    kill -0 "\${user%%.*}" 2>/dev/null && return 0
  done
  return 1
}
"$@" & server=$!
while :; do
  sleep 1
  [ "$home" -ef . ] || { kill -9 "$server"; exit 0; }
  if ! kill -0 "$server" 2>/dev/null; then
    wait "$server"
    status=$?
    [ "$status" -lt 128 ] && exit "$status"
    used || exit 0
    "$@" & server=$!
  fi
  used && continue
  : > closing
  used || { kill "$server"; wait "$server"; rm -f closing; exit 0; }
  rm -f closing
done
`;

/** Starts the server under supervision. */
export function supervise(home: ServerHome, command: readonly string[]): void {
  const child = spawn('sh', ['-c', script, 'millrace-redis', home.root, ...command], {
    detached: true,
    stdio: 'ignore',
  });
  if (child.pid !== undefined) writeFileSync(home.supervisor, processMark(child.pid));
  // Without a shell there is no pid; the wait for the server reports that it did not start.
  child.on('error', () => undefined);
  child.unref();
}

/** Returns whether a supervisor lives, so that the server runs or is about to. */
export function isSupervised(home: ServerHome): boolean {
  const mark = supervisorOf(home);
  return mark !== undefined && isAlive(mark);
}

/** Ends the supervisor immediately, for a server that has already ended. */
export function dismiss(home: ServerHome): void {
  const mark = supervisorOf(home);
  if (mark !== undefined && isAlive(mark)) process.kill(Number.parseInt(mark, 10), 'SIGKILL');
  rmSync(home.supervisor, { force: true });
}

function supervisorOf(home: ServerHome): string | undefined {
  try {
    return readFileSync(home.supervisor, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * A name for something that a process holds: `<pid>.<start>.<unique>`. Files named by marks need no contents, and any
 * reader can check whether the process still lives, even when the pid has been reused.
 */
export function processMark(pid: number): string {
  return `${pid}.${statusOf(pid)?.startedAt ?? 0}.${randomUUID()}`;
}

/** Returns whether the process that made the mark still runs. */
export function isAlive(mark: string): boolean {
  const [pid = Number.NaN, startedAt = 0] = mark.split('.', 2).map(Number);
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isRunning(pid)) return false;
  const status = statusOf(pid);
  if (status === undefined) return !existsSync('/proc/self/stat');
  return !status.ended && (startedAt === 0 || status.startedAt === startedAt);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists, but may not be signalled by this user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Reads the status of a process from Linux; `startedAt` counts clock ticks since boot. Undefined elsewhere. */
function statusOf(pid: number): { ended: boolean; startedAt: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may contain anything; the others are separated by blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { ended: fields[0] === 'Z' || fields[0] === 'X', startedAt: Number(fields[19]) };
  } catch {
    return undefined;
  }
}

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

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

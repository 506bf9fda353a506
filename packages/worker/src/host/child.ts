import type { ChildProcess, StdioOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';

/** A process to start. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it can read from file descriptor 3. */
  readonly extra?: string;
}

/** How a process ended, and what it wrote. */
export interface Ended {
  /** The exit code, a signal as a negative number, or undefined when the time was over. */
  readonly code: number | undefined;
  readonly stdout: Written;
  readonly stderr: Written;
}

/** The beginning of what a process wrote to a stream. */
export interface Written {
  readonly start: Buffer;
  /** Bytes in all, kept or not. */
  readonly total: number;
}

/** Bytes kept of each stream. */
const keptBytes = 1024 * 1024;
/** The longest time that a timer can wait. */
const longestMs = 2 ** 31 - 1;
/** How long a killed group may keep its streams open: what has left the group may hold them for ever. */
const lettingGoMs = 500;

/**
 * Runs a process in a group of its own and waits until it has ended and closed its streams. The whole group is killed
 * when the time is over or the signal is aborted, and whatever of it is left at the end.
 */
export async function runChild(
  { file, args, cwd, env, extra }: Command,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Ended> {
  signal.throwIfAborted();
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...(extra === undefined ? [] : ['pipe' as const])];
  const child = spawn(file, args, { cwd, env, detached: true, stdio });
  let isLate = false;
  const kill = () => killGroup(child);
  const late = () => {
    isLate = true;
    kill();
  };
  const timer = setTimeout(late, Math.min(timeoutMs, longestMs));
  signal.addEventListener('abort', kill);
  try {
    const [stdout, stderr] = [capture(child.stdout), capture(child.stderr)];
    give(child.stdio[3], extra);
    const code = await closed(child);
    signal.throwIfAborted();
    return { code: isLate ? undefined : code, stdout: stdout(), stderr: stderr() };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
    kill();
  }
}

function killGroup({ pid, stdio }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended already.
  }
  setTimeout(() => {
    for (const stream of stdio) stream?.destroy();
  }, lettingGoMs).unref();
}

const closed = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? -(signal === null ? 1 : constants.signals[signal])));
  });

/** Reads a stream to its end, so that the process never waits for it, and keeps the beginning. */
function capture(stream: Readable | null): () => Written {
  const chunks: Buffer[] = [];
  let total = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (total < keptBytes) chunks.push(chunk.subarray(0, keptBytes - total));
    total += chunk.length;
  });
  return () => ({ start: Buffer.concat(chunks), total });
}

/** Writes what the process is to read. One that does not care may close its end first. */
function give(stream: Readable | Writable | null | undefined, text = ''): void {
  if (stream === null || stream === undefined || !('end' in stream)) return;
  stream.on('error', () => stream.destroy());
  stream.end(text);
}

import type { ChildProcess, StdioOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { NodeError } from '@millrace/core';

/** A process to start. */
export interface ProcessCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Input that it can read from file descriptor 3. */
  readonly extra?: string;
  /** Kills processes that it has started in other groups, see markProgram; absent: nothing outlives it. */
  readonly killRest?: () => Promise<void>;
}

/** The end of a process, and its output. */
export interface ProcessResult {
  /** The exit code, a signal as a negative number, or undefined when the time was over. */
  readonly code: number | undefined;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

/** The beginning of the output of one stream. */
export interface CapturedOutput {
  readonly start: Buffer;
  /** Bytes in all, kept or not. */
  readonly total: number;
}

/** Names that a variable of a process can have. */
const variableName = /^[^\0=]+$/;

/**
 * Throws PROGRAM_ARGUMENT_INVALID for words that no process can have: an argument, a variable or a path ends at its first
 * NUL character, and what comes after it would be read as something else.
 */
export function assertStartable({
  file,
  args,
  cwd,
  env,
}: Pick<ProcessCommand, 'file' | 'args' | 'env'> & Partial<Pick<ProcessCommand, 'cwd'>>): void {
  const values = [file, ...args, cwd ?? '', ...Object.values(env)];
  const names = Object.keys(env);
  if (values.every((value) => !value.includes('\0')) && names.every((name) => variableName.test(name))) return;
  throw invalid('an argument, path or variable of it contains a NUL character, or a variable has an invalid name');
}

const invalid = (reason: string): NodeError =>
  new NodeError('PROGRAM_ARGUMENT_INVALID', `The program cannot be started: ${reason}.`);

/** Starts a process. The system also refuses a command that is too long. */
function start({ file, args, cwd, env }: ProcessCommand, stdio: StdioOptions): ChildProcess {
  try {
    return spawn(file, args, { cwd, env, detached: true, stdio });
  } catch (error) {
    const isTooLong = error instanceof Error && 'code' in error && error.code === 'E2BIG';
    throw isTooLong ? invalid('its arguments and variables are too long for this system') : error;
  }
}

/** Bytes kept of each stream. */
const keptBytes = 1024 * 1024;
/** The longest time that a timer can wait. */
const longestMs = 2 ** 31 - 1;
/** Time that streams may stay open after the process and its known children have ended. */
const drainingMs = 500;

/**
 * Runs a process in a separate group and waits until it has ended. Processes that it has started end with it: when it ends
 * by itself, when the time is over and when the signal is aborted.
 */
export async function runProcess(
  command: ProcessCommand,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<ProcessResult> {
  signal.throwIfAborted();
  assertStartable(command);
  const { extra, killRest } = command;
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...(extra === undefined ? [] : ['pipe' as const])];
  const child = start(command, stdio);
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
    const closed = once(child, 'close');
    // `exited` rejects when the process cannot be started.
    closed.catch(() => undefined);
    give(child.stdio[3], extra);
    const code = await exited(child);
    kill();
    await killRest?.();
    await drained(child, closed);
    signal.throwIfAborted();
    return { code: isLate ? undefined : code, stdout: stdout(), stderr: stderr() };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended already.
  }
}

const exited = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? -(signal === null ? 1 : constants.signals[signal])));
  });

/**
 * Waits until all that a process wrote has been read, when it has ended; `closed` is its event `close`. A process that could
 * not be found may hold a stream for ever.
 */
export async function drained({ stdio }: Pick<ChildProcess, 'stdio'>, closed: Promise<unknown>): Promise<void> {
  const timer = setTimeout(async () => {
    // If this process was busy meanwhile, output that has arrived is read first.
    await setImmediate();
    for (const stream of stdio) stream?.destroy();
  }, drainingMs);
  await closed;
  clearTimeout(timer);
}

/** Reads a stream to its end, so that the process never waits for it, and keeps the beginning. */
function capture(stream: Readable | null): () => CapturedOutput {
  const chunks: Buffer[] = [];
  let total = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (total < keptBytes) chunks.push(chunk.subarray(0, keptBytes - total));
    total += chunk.length;
  });
  return () => ({ start: Buffer.concat(chunks), total });
}

/** Writes the input of the process. A process that does not read it may close its end first. */
function give(stream: Readable | Writable | null | undefined, text = ''): void {
  if (stream === null || stream === undefined || !('end' in stream)) return;
  stream.on('error', () => stream.destroy());
  stream.end(text);
}

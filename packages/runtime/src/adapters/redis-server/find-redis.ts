import { execFile } from 'node:child_process';
import { RequestError } from '@millrace/core/errors';
import { isServerOf } from './server-home.ts';
import { waysToRedis } from './ways-to-redis.ts';

/*
 * A separate entry of the package, `@millrace/runtime/find-redis`: it loads no other library, so that a command on a
 * machine without Redis ends within a moment, before it loads the runtime.
 */

/** Options of {@link findRedis}. */
export interface FindRedisOptions {
  /** The folder of this project's local state; the server and its data are in `redis` below it. */
  readonly directory: string;
  /** The configured Redis, if there is one: no server is started then. */
  readonly url?: string;
  /** Called with one line for each server that is started, attached to or installed. */
  readonly report: (line: string) => void;
  /** Installs a server program where there is neither one nor a container engine; returns whether it did. */
  readonly install?: (report: (line: string) => void) => Promise<boolean>;
}

/** A Redis that can be used: a configured one, a server program, or a container. */
export type FoundRedis =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'program'; readonly program: string }
  | { readonly type: 'container' };

/**
 * Finds a Redis, and starts none: the configured one, a server program on the PATH, a container engine, or a server that
 * is installed for it. Throws a RequestError, REDIS_MISSING, when there is none.
 */
export async function findRedis({ directory, url, report, install }: FindRedisOptions): Promise<FoundRedis> {
  // The URL of the server of the folder, as `redis-url` prints it, leads to the same installation with all of its data.
  if (url !== undefined && !isServerOf(directory, url)) return { type: 'url', url };
  const program = await findServer(report);
  if (program !== undefined) return { type: 'program', program };
  if (await helpWhileWaiting(hasContainerEngine(), report)) return { type: 'container' };
  const installed = (await install?.(report)) ? await findServer(report) : undefined;
  if (installed !== undefined) return { type: 'program', program: installed };
  throw new RequestError('REDIS_MISSING', `No Redis is available. ${waysToRedis()}`);
}

/** Time without an answer of Docker after which the alternatives are reported. */
const helpAfterMs = 1500;

/** Waits for the answer about Docker, which takes long where its engine is starting or hangs, and says so. */
async function helpWhileWaiting(answer: Promise<boolean>, report: (line: string) => void): Promise<boolean> {
  const timer = setTimeout(
    () => report(`no Redis so far, and Docker has not answered yet. ${waysToRedis()}`),
    helpAfterMs,
  );
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the path of a sufficiently new server program on the PATH. */
export async function findServer(report: (line: string) => void): Promise<string | undefined> {
  for (const program of ['redis-server', 'valkey-server']) {
    const result = await runProgram(program, ['--version'], 10_000);
    if (result.type !== 'done') continue;
    const version = /\bv=(\d+)\.(\d+)[\d.]*/.exec(result.output);
    if (version !== null && Number(version[1]) * 100 + Number(version[2]) >= 602) return program;
    report(`${program} is older than 6.2 and is not used (${result.output})`);
  }
  return undefined;
}

/** Returns whether the docker command reaches an engine. */
export async function hasContainerEngine(): Promise<boolean> {
  const result = await runProgram('docker', ['version', '--format', '{{.Server.Version}}'], 10_000);
  return result.type === 'done' && result.output !== '';
}

/** Output of a program, or the reason why it could not be run. */
export type ProgramResult =
  | { readonly type: 'done'; readonly output: string }
  | { readonly type: 'failed'; readonly output: string }
  | { readonly type: 'missing' };

/** Runs a program of this machine to its end. */
export function runProgram(program: string, args: readonly string[], timeoutMs: number): Promise<ProgramResult> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error === null) resolve({ type: 'done', output: stdout.trim() });
      else if (error.code === 'ENOENT') resolve({ type: 'missing' });
      else resolve({ type: 'failed', output: `${stdout}${stderr}`.trim() || error.message });
    });
  });
}

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../packages/cli/bin/millrace.js', import.meta.url));

/** A worker in a process of its own, as people start it. */
export interface WorkerProcess {
  /** As journals name it. */
  readonly name: string;
  /** Resolves when it has ended, for whatever reason. */
  readonly exited: Promise<unknown>;
  /** Resolves as soon as its log holds a match. */
  says(pattern: RegExp): Promise<void>;
  /** Ends it at once, as a crash would, frozen or not. */
  kill(): Promise<void>;
  /** Asks it to end, as an orchestrator of containers does; the exit code. */
  terminate(): Promise<number | null>;
  /** Stops it without its noticing, as a hypervisor or a debugger would. */
  freeze(): void;
  thaw(): void;
}

/** Starts the built worker, with these variables beside those of the test, and waits until it takes work. */
export async function startWorkerProcess(
  redisUrl: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [main, 'worker'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, REDIS_URL: redisUrl, MILLRACE_LOG_LEVEL: 'debug', MILLRACE_CONCURRENCY: '4', ...variables },
  });
  const log = logOf(child);
  await log.holds(/Working on runs/);
  const exited = once(child, 'exit');
  return {
    name: `${hostname()}-${child.pid}`,
    exited,
    says: log.holds,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async terminate() {
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

function logOf(child: ChildProcess): { holds(pattern: RegExp): Promise<void> } {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    holds: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(text)) resolve();
        };
        child.stderr?.on('data', look);
        child.once('exit', (code) => reject(new Error(`the worker ended with ${code}, saying:\n${text}`)));
        look();
      }),
  };
}

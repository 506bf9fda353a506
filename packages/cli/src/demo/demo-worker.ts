import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { workingOnRuns } from '../serve/working-on-runs.ts';

const program = fileURLToPath(new URL('../../bin/demo-worker.js', import.meta.url));

/** Worker process of the demo. */
export interface DemoWorker {
  readonly pid: number;
  /** Resolves when the worker takes activations; rejects when the process ends before. */
  readonly ready: Promise<void>;
  /** Ends the process with SIGKILL, as `kill -9` does; resolves when it has ended. */
  kill(): Promise<void>;
}

/** Location of the installation of a worker process. */
export interface DemoWorkerOptions {
  /** Directory of the installation. A `.env` file of the working directory is not read. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts `millrace worker` in a separate process, without the user's settings of Millrace. */
export function startDemoWorker({ directory, environment }: DemoWorkerOptions): DemoWorker {
  const own = Object.entries(environment).filter(([name]) => !/^(?:MILLRACE_|REDIS_URL$|OTEL_)/.test(name));
  const child = spawn(process.execPath, [program, 'worker'], {
    cwd: directory,
    env: { ...Object.fromEntries(own), MILLRACE_DIR: directory },
    // The worker ends when its standard input ends.
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  const working = new Promise<void>((resolve) => {
    child.stderr.on('data', (part) => {
      output += String(part);
      if (output.includes(workingOnRuns)) resolve();
    });
  });
  const ended = exited.then(() => {
    throw new CommandError(exitCodes.bug, `A worker of the demo did not start:\n${output}`);
  });
  const ready = Promise.race([working, ended]);
  // The demo does not wait for a worker that is killed while it starts.
  ready.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ready,
    async kill() {
      child.kill('SIGKILL');
      await exited.catch(() => undefined);
    },
  };
}

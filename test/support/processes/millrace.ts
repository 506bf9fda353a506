import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The built command line. */
export const millraceProgram = fileURLToPath(new URL('../../../packages/cli/bin/millrace.js', import.meta.url));

/** Result of a command. */
export interface CommandResult {
  /** null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface RunningCommand {
  readonly ended: Promise<CommandResult>;
  /** Resolves with the match as soon as stderr holds one; rejects when the command ends without. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it by a signal, and waits for its end; default: as an orchestrator of containers asks. */
  stop(signal?: NodeJS.Signals): Promise<CommandResult>;
}

/** A running server. */
export interface RunningServer extends RunningCommand {
  readonly url: string;
}

/** Options for the start of a command. */
export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer;
  /** Leaves standard input open after that, as a client does that continues talking. */
  readonly keepsStdinOpen?: boolean;
  /** The program that is run in place of the built one. */
  readonly build?: string;
}

/** Runs the built command line to its end. */
export const millrace = (args: readonly string[], surroundings: Surroundings = {}): Promise<CommandResult> =>
  startMillrace(args, surroundings).ended;

/** Starts the built command line in a process of its own, without a terminal. */
export function startMillrace(
  args: readonly string[],
  { cwd, env = {}, stdin = '', keepsStdinOpen = false, build = millraceProgram }: Surroundings = {},
): RunningCommand {
  const { REDIS_URL: _redis, OPENAI_API_KEY: _key, npm_command: _npm, ...inherited } = process.env;
  // Tests that name no directory keep their data in the one that they work in.
  const own = 'MILLRACE_URL' in env ? {} : { MILLRACE_DIR: '.millrace' };
  const child = spawn(process.execPath, [build, ...args], { cwd, env: { ...inherited, ...own, ...env } });
  if (keepsStdinOpen) child.stdin.write(stdin);
  else child.stdin.end(stdin);
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(
    ([code, stdout, stderr]): CommandResult => ({ code, stdout, stderr }),
  );
  // From the beginning: lines may come together, and the first of them must not use the others up.
  let heard = '';
  child.stderr.on('data', (chunk) => {
    heard += String(chunk);
  });
  return {
    ended,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(heard);
          if (match !== null) resolve(match);
        };
        look();
        child.stderr.on('data', look);
        void ended.then(({ code, stderr }) => reject(new Error(`ended with ${code}, saying:\n${stderr}`)));
      }),
    signal: (signal) => void child.kill(signal),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts a command that serves the API, such as `up`, and waits until it does. */
export async function startServer(args: readonly string[], surroundings?: Surroundings): Promise<RunningServer> {
  const running = startMillrace(args, surroundings);
  const [, url = ''] = await running.says(/HTTP API is at (http:\S+)/);
  return { ...running, url };
}

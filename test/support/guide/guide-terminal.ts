import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { command } from '../processes/command.ts';
import type { CommandResult, RunningCommand } from '../processes/millrace.ts';
import { startMillrace } from '../processes/millrace.ts';
import { freePort } from '../redis/free-port.ts';

/** Commands that work until they are stopped, and what they say when they are ready. */
const lasting: Readonly<Record<string, RegExp>> = {
  worker: /Working on runs/,
  serve: /HTTP API is at/,
  up: /Working on runs/,
  dev: /again when|Saved|waiting for changes/i,
};

/** A terminal of a reader of the guide. */
export interface GuideTerminal {
  /** Executes commands in bash; variables stay from block to block. */
  execute(commands: string): Promise<CommandResult>;
  close(): Promise<void>;
}

/** Options of a terminal. */
interface GuideTerminalOptions {
  readonly cwd: string;
  /** Environment of its commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Address of the server that the pages call 127.0.0.1:4700. */
  readonly api: string;
  /** Commands before the first block. */
  readonly prelude: string;
}

/**
 * Opens a terminal in a directory. In its bash, `millrace` is a function that has the command executed by this process, at
 * a tenth of the cost of a process; servers and workers are processes, which `close` stops.
 */
export async function openGuideTerminal({ cwd, env, api, prelude }: GuideTerminalOptions): Promise<GuideTerminal> {
  const started: RunningCommand[] = [];
  const bridge = createServer(async (request, response) => {
    const [variables = '', given = ''] = (await buffer(request)).toString().split('\0\0');
    const own = Object.fromEntries(variables.split('\0').map((line) => splitOnce(line, '=')));
    const { code, stdout, stderr } = await execute(given.split('\0').slice(0, -1), own);
    writeFileSync(join(cwd, '.stdout'), stdout);
    writeFileSync(join(cwd, '.stderr'), stderr);
    response.end(String(code));
  });
  await new Promise<void>((resolve) => bridge.listen(0, '127.0.0.1', resolve));
  const { port: bridgePort } = bridge.address() as AddressInfo; // it listens on TCP

  async function execute(args: readonly string[], own: Readonly<Record<string, string>>): Promise<CommandResult> {
    const ready = lasting[args[0] ?? ''];
    if (ready === undefined || args.includes('--help')) return inDirectory(cwd, () => command(args, own));
    // The reader's first server is already there.
    if (args.join(' ') === 'up --port 4700') return { code: 0, stdout: '', stderr: '' };
    const running = startMillrace(await withFreePorts(args), { cwd, env: own });
    started.push(running);
    await running.says(ready);
    return { code: 0, stdout: '', stderr: '' };
  }

  const functions = `set -e -o pipefail
millrace() {
  local code
  code=$({ env -0; printf '\\0'; printf '%s\\0' "$@"; } | command curl -sS --data-binary @- http://127.0.0.1:${bridgePort})
  cat .stderr >&2; cat .stdout
  case "$1" in run | resume) RUN=$(grep -o 'run_[0-9a-f]*' .stderr | head -1 || echo "$RUN") ;; esac
  return "$code"
}
npx() { "$@"; }
curl() { command curl -sS --fail-with-body "\${@//http:\\/\\/127.0.0.1:4700/${api.replaceAll('/', '\\/')}}"; }
`;
  return {
    async execute(commands) {
      const script = `${functions}${prelude}if [ -f .variables ]; then . ./.variables; fi
${commands}
declare -p RUN BATCH ID HASH FILE DELIVERY KEY ACTIVATION > .variables 2> /dev/null || true`;
      const child = spawn('bash', ['-c', script], {
        cwd,
        env: { ...pathOnly(), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
      const hung = setTimeout(() => child.kill('SIGKILL'), 30_000);
      const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
      clearTimeout(hung);
      return { code, stdout, stderr };
    },
    async close() {
      for (const each of started) each.signal('SIGINT');
      await Promise.all(started.map(({ ended }) => ended));
      bridge.closeAllConnections();
      await new Promise((resolve) => bridge.close(resolve));
    },
  };
}

/** Returns the arguments of a server or worker with free ports in place of those of the page. */
async function withFreePorts(args: readonly string[]): Promise<readonly string[]> {
  const named = args[0] === 'serve' && !args.includes('--port') ? [...args, '--port', '4700'] : args;
  return Promise.all(named.map(async (each) => (/^\d{4,5}$/.test(each) ? String(await freePort()) : each)));
}

const pathOnly = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' });

const splitOnce = (line: string, mark: string): readonly [string, string] => {
  const at = line.indexOf(mark);
  return [line.slice(0, at), line.slice(at + 1)];
};

/** Does work in another working directory of this process; one at a time. */
async function inDirectory<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const previous = process.cwd();
  process.chdir(directory);
  try {
    return await work();
  } finally {
    process.chdir(previous);
  }
}

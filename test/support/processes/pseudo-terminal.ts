import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { millraceProgram } from './millrace.ts';

/** Runs a program on a terminal of its own, and ends with its exit code. */
const onTerminal = `
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(['sh', '-c', 'stty cols 200 rows 50; exec "$@"', 'sh', *sys.argv[1:]])))
`;

/** Less than a test may take. */
const longestMs = 50_000;

/** Options for a program on a terminal. */
export interface OnTerminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Keys that are typed as soon as the terminal shows the text before them, after the keys before. */
  readonly typed?: readonly (readonly [shown: string, keys: string])[];
  /** Called with all that the terminal has shown so far. */
  readonly seen?: (shown: string) => void;
}

/** Runs Node.js on a pseudo-terminal with colours; gives all that the terminal was sent. */
export async function nodeOnTerminal(
  args: readonly string[],
  { cwd, env, typed = [], seen: see }: OnTerminal,
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const { NO_COLOR: _no, CI: _ci, REDIS_URL: _redis, npm_command: _npm, ...inherited } = process.env;
  const child = spawn('python3', ['-c', onTerminal, process.execPath, ...args], {
    cwd,
    env: { ...inherited, TERM: 'xterm-256color', FORCE_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    // The end of the terminal ends what runs on it, so that a program that waits for ever is not left behind.
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const expected = [...typed];
  let seen = '';
  let unread = '';
  child.stdout.on('data', (piece: Buffer) => {
    seen += piece.toString();
    unread += piece.toString();
    see?.(seen);
    for (let [next] = expected; next !== undefined && unread.includes(next[0]); [next] = expected) {
      expected.shift();
      unread = unread.slice(unread.indexOf(next[0]) + next[0].length);
      child.stdin.write(next[1]);
    }
  });
  const shown = text(child.stdout);
  const result = { code: await closed, shown: await shown };
  child.stdin.destroy();
  return result;
}

/** Runs a command on a terminal, closes the terminal when it has shown a text, and prints how the command ended. */
const onClosedTerminal = `
import os, pty, signal, sys
shown, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
seen = b''
while shown.encode() not in seen:
    seen += os.read(terminal, 65536)
os.close(terminal)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(signal.Signals(-code).name if code < 0 else code)
`;

/** Runs the built command line on a terminal that is closed as soon as it shows a text; returns its exit code or signal. */
export async function closeTerminalOf(
  args: readonly string[],
  { cwd, env, shown }: Omit<OnTerminal, 'typed' | 'seen'> & { readonly shown: string },
): Promise<string> {
  const child = spawn('python3', ['-c', onClosedTerminal, shown, process.execPath, millraceProgram, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  return (await text(child.stdout)).trim();
}

import { execFile } from 'node:child_process';

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

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Runs a program to its end in the root of the repository. */
export async function runProgram(file: string, args: readonly string[]) {
  const cwd = new URL('../../..', import.meta.url);
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url));

/** Runs the benchmark to its end, building it first where it has changed. */
export async function runBench(args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args]);
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

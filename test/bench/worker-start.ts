import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const program = 'packages/cli/bin/millrace.js';
/** `/proc` counts in hundredths of a second on all systems that have it. */
const tickMs = 10;

/** Returns the least processor time of several worker processes until they take work, in milliseconds; NaN without `/proc`. */
export async function workerStartMs(redisUrl: string, starts: number): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < starts; at++) times.push(await startOnce(redisUrl));
  return Math.min(...times);
}

async function startOnce(redisUrl: string): Promise<number> {
  const env = { ...process.env, REDIS_URL: redisUrl, MILLRACE_LOG_LEVEL: 'info' };
  const child = spawn(process.execPath, [program, 'worker'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('Working on runs')) break;
  const ms = await cpuOf(child.pid);
  child.kill();
  await exited;
  return ms;
}

async function cpuOf(pid: number | undefined): Promise<number> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces; after it come the state and ten numbers before the two times.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return Number.NaN;
  }
}

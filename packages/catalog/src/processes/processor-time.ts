import { readFileSync } from 'node:fs';

/** Milliseconds of one clock tick, in which Linux counts the time of other processes whatever its kernel uses itself. */
const tickMs = 10;

/** Returns the processor time of a process since it started, in milliseconds; undefined where only Linux could tell, or the process has ended. */
export function processorTimeOf(pid: number | undefined): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program before them may have spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return undefined;
  }
}

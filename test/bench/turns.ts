import { existsSync, openSync, readSync } from 'node:fs';

const tickMs = 5;

/**
 * Watches the turns of the event loop; the returned function stops and returns the longest one in milliseconds. A timer sees
 * the time and the processor time between two of its ticks; the least of them bounds the processor time of each turn
 * in between from above, less than a tick too high: a process that waits for a core uses none, one whose other threads
 * compute has not more than the time, and one that also waits has not more than its own thread.
 */
export function watchTurns(): () => number {
  let longest = 0;
  let before = clocks();
  const look = () => {
    const now = clocks();
    longest = Math.max(
      longest,
      Math.min(now.time - before.time, now.process - before.process, now.thread - before.thread),
    );
    before = now;
  };
  const timer = setInterval(look, tickMs);
  return () => {
    clearInterval(timer);
    look();
    return longest;
  };
}

const scheduling = '/proc/thread-self/schedstat';
/** Open while the process lives, as a tick must cost little. */
const statistics = existsSync(scheduling) ? openSync(scheduling, 'r') : undefined;
const line = Buffer.alloc(64);

/** Reads the time, and the processor time of the process and of this thread, in milliseconds; Linux counts the latter in steps of 4 ms. */
function clocks() {
  const { user, system } = process.cpuUsage();
  const cpu = (user + system) / 1000;
  return { time: performance.now(), process: cpu, thread: statistics === undefined ? cpu : threadMs(statistics) };
}

function threadMs(file: number): number {
  return Number.parseInt(line.toString('latin1', 0, readSync(file, line, 0, line.length, 0)), 10) / 1_000_000;
}

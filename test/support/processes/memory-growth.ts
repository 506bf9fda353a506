import { readFileSync, writeFileSync } from 'node:fs';

/** Result of an action that is expected to fail. */
export interface MemoryGrowth {
  /** Bytes that this process had at most during the action, beyond those that it had before. */
  readonly growth: number;
  readonly error: unknown;
}

/** Measures the memory that an action takes at most, until it fails. Linux has the exact number, and it can be reset. */
export async function memoryGrowth(action: () => Promise<unknown>): Promise<MemoryGrowth> {
  const before = process.memoryUsage.rss();
  resetPeak();
  let error: unknown;
  await action().catch((one: unknown) => {
    error = one;
  });
  return { growth: peak() - before, error };
}

function resetPeak(): void {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5');
}

/** Returns the largest memory of this process, in bytes: since it was reset, or else since the start. */
function peak(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
  return Number(kibibytes) * 1024;
}

import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** A program that sleeps for a day, which a test can find again however it was started. */
export interface Sleeper {
  /** Duration of its sleep, in seconds: a number that no other sleeper has. */
  readonly seconds: string;
  /** Process ids of those that sleep now, on this machine. */
  pids(): readonly number[];
}

/** Returns a sleeper of its own for a test. */
export function newSleeper(): Sleeper {
  const seconds = `86400.${randomInt(1_000_000_000)}`;
  return { seconds, pids: () => processesWith(seconds) };
}

/** Processes that have this word among their arguments and are `sleep`. */
const processesWith = (word: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => argumentsOf(pid).join(' ') === `sleep ${word}`)
    .map(Number);

function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').slice(0, -1);
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

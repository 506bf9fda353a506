import { fileURLToPath } from 'node:url';

const clock = fileURLToPath(new URL('skewed-clock.mjs', import.meta.url));
const stop = fileURLToPath(new URL('stopped-before-connecting.mjs', import.meta.url));

/** Variables of a process whose time of day is ahead by so much; a negative number for one that is behind. */
export const skewedBy = (ms: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import ${clock}`,
  MILLRACE_TEST_SKEW_MS: String(ms),
});

/** The same for a process that writes `stopped before the first connection`, and stops there until SIGCONT. */
export const skewedAndStopped = (ms: number): Readonly<Record<string, string>> => ({
  ...skewedBy(ms),
  NODE_OPTIONS: `--import ${clock} --import ${stop}`,
});

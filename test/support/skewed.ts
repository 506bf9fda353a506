import { fileURLToPath } from 'node:url';

const loader = fileURLToPath(new URL('skewed-clock.mjs', import.meta.url));

/** Variables of a process whose time of day is ahead by so much; a negative number for one that is behind. */
export const skewedBy = (ms: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import ${loader}`,
  MILLRACE_TEST_SKEW_MS: String(ms),
});

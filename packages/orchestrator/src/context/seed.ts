import { randomBytes } from 'node:crypto';

/** A time, in milliseconds since 1970, after all others. */
const maxTimestampMs = 2 ** 48 - 1;

/** Returns 32 hex digits for a unique name; later ones sort first, so that lists by name begin with the newest. */
export const freshSeed = (): string =>
  (maxTimestampMs - Date.now()).toString(16).padStart(12, '0') + randomBytes(10).toString('hex');

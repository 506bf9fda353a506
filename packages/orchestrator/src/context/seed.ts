import { randomBytes } from 'node:crypto';

/** Time after all real ones, in milliseconds since 1970. */
const maxTimestampMs = 2 ** 48 - 1;

/** Returns 32 hex digits for a unique name; later names sort first, so lists by name begin with the newest. */
export const newSeed = (): string =>
  (maxTimestampMs - Date.now()).toString(16).padStart(12, '0') + randomBytes(10).toString('hex');

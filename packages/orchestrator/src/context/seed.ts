import { randomBytes } from 'node:crypto';

/** More milliseconds since 1970 than there will be. */
const maxTimestampMs = 2 ** 48 - 1;

/** 32 hex digits for a name that nobody else makes; those made later sort first, so that lists by name begin with the newest. */
export const freshSeed = (): string =>
  (maxTimestampMs - Date.now()).toString(16).padStart(12, '0') + randomBytes(10).toString('hex');

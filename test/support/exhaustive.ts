import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** True if storms and properties try all cases, as in the nightly tests; `npm test` tries a part of them. */
    readonly exhaustive: boolean;
  }
}

/** Returns the first value in `npm test`, the second in the nightly tests. */
export const usuallyOr = <T>(usual: T, exhaustive: T): T => (inject('exhaustive') ? exhaustive : usual);

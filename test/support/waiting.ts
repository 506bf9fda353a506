import { vi } from 'vitest';

/*
 * Waiting for what will happen. The limit is no claim about time, it only ends a test that waits in vain: a busy machine may
 * need long for what takes milliseconds.
 */

const patience = { timeout: 60_000, interval: 20 } as const;

/** Waits until a check returns something truthy, which it returns. */
export const waitUntil = <T>(check: () => T | Promise<T>) => vi.waitUntil(check, patience);

/** Waits until an assertion passes; returns what it returns. */
export const waitFor = <T>(assertion: () => T | Promise<T>) => vi.waitFor(assertion, patience);

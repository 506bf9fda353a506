import { setTimeout } from 'node:timers/promises';
import type { Sleep } from '@millrace/core';

/** Waits by the timers of the process. */
export const realSleep: Sleep = async (ms, signal) => {
  await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
};

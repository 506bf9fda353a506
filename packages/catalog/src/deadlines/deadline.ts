import { linkedController } from './linked-controller.ts';

/** A time limit for one piece of work. */
export interface Deadline {
  /** Aborted when the time is over (with a `TimeoutError`), or with one of the signals that the deadline was started with. */
  readonly signal: AbortSignal;
  /** True when the time is over. */
  readonly expired: boolean;
  /** Ends the timer. Call it when the work is done. */
  clear(): void;
}

/** The longest time that a timer of Node.js can wait, in milliseconds. */
const longestMs = 2 ** 31 - 1;

/**
 * Starts a deadline. Its timer holds what it aborts, so garbage collection cannot remove it. The timer does not keep the
 * process alive.
 */
export function startDeadline(timeoutMs: number, ...sources: readonly AbortSignal[]): Deadline {
  const controller = linkedController(...sources);
  let expired = false;
  const timer = setTimeout(
    () => {
      expired = !controller.signal.aborted;
      controller.abort(new DOMException(`The operation took longer than ${timeoutMs} ms.`, 'TimeoutError'));
    },
    Math.min(timeoutMs, longestMs),
  );
  timer.unref();
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    clear() {
      clearTimeout(timer);
      controller.unlink();
    },
  };
}

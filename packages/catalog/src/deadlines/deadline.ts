import { setMaxListeners } from 'node:events';

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

/** A controller that is aborted with other signals, too. */
interface LinkedController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Stops listening to the other signals. Call it when the work is done: they may live much longer. */
  unlink(): void;
}

/**
 * Links a controller to other signals. Use it instead of `AbortSignal.any`, which refers to its sources weakly: on Node
 * 20, a source without other references, such as an `AbortSignal.timeout`, is collected before it is aborted.
 */
export function linkedController(...sources: readonly AbortSignal[]): LinkedController {
  const controller = new AbortController();
  const listeners = sources.map((source) => ({ source, abort: () => abort(source.reason) }));
  // A source may have any number of listeners.
  setMaxListeners(Number.POSITIVE_INFINITY, ...sources);
  const unlink = () => {
    for (const { source, abort } of listeners) source.removeEventListener('abort', abort);
  };
  function abort(reason?: unknown): void {
    unlink();
    controller.abort(reason);
  }
  for (const { source, abort } of listeners) source.addEventListener('abort', abort);
  const aborted = sources.find((source) => source.aborted);
  if (aborted !== undefined) abort(aborted.reason);
  return { signal: controller.signal, abort, unlink };
}

import { setMaxListeners } from 'node:events';

/** A controller that is aborted with other signals, too. */
export interface LinkedController {
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

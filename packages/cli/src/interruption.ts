import { exitCodes } from './exit.ts';

/** A signal that Ctrl-C or a polite kill aborts; a second one ends the process at once. */
export function interruption(): { readonly signal: AbortSignal; interrupt(): void; dispose(): void } {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return {
    signal: controller.signal,
    interrupt,
    dispose: () => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt),
  };
}

/** Waits until the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

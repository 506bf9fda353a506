import type { ExitCode } from '../exit/exit.ts';
import { exitCodes } from '../exit/exit.ts';
import type { Cli } from './cli.ts';

/** Effect of Ctrl-C, SIGTERM or SIGHUP on a command. */
export interface Interruption {
  /** Aborted by the first of them. */
  readonly signal: AbortSignal;
  interrupt(): void;
  dispose(): void;
}

/**
 * Ends a command in order on Ctrl-C, SIGTERM or SIGHUP: aborts the signal, and exits with this code if the command has not
 * ended within `MILLRACE_STOP_GRACE`. A second Ctrl-C ends the process at once. A SIGHUP never does: terminals and service
 * managers send it after another signal.
 */
export async function interruption(cli: Cli, exit: ExitCode): Promise<Interruption> {
  const { stopGraceMs } = await cli.config();
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    // When the command disposes of this, it has yet to close its resources.
    setTimeout(() => {
      cli.terminal.say(`Stopped after ${stopGraceMs / 1000} s; other workers take over what was not finished.`);
      process.exit(exit);
    }, stopGraceMs).unref();
    controller.abort();
  };
  const hangUp = () => {
    if (!controller.signal.aborted) interrupt();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt).on('SIGHUP', hangUp);
  return {
    signal: controller.signal,
    interrupt,
    dispose: () => void process.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('SIGHUP', hangUp),
  };
}

/** Waits until the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

import type { ExitCode } from '../exit/exit.ts';
import { exitCodes } from '../exit/exit.ts';
import type { Cli } from './cli.ts';

/** Effect of Ctrl-C or SIGTERM on a command. */
export interface Interruption {
  /** Aborted by the first of them. */
  readonly signal: AbortSignal;
  interrupt(): void;
  dispose(): void;
}

/**
 * Lets a command end in order on Ctrl-C or a polite kill: aborts the signal, and ends the process with this exit code when
 * the command has not ended within `MILLRACE_STOP_GRACE`, whatever it waits for. A second Ctrl-C ends it at once.
 */
export async function interruption(cli: Cli, exit: ExitCode): Promise<Interruption> {
  const { stopGraceMs } = await cli.config();
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    // What the command has opened is still to be closed when it disposes of this.
    setTimeout(() => {
      cli.terminal.say(`Stopped after ${stopGraceMs / 1000} s; other workers take over what was not finished.`);
      process.exit(exit);
    }, stopGraceMs).unref();
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

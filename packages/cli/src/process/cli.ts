import type { Config } from '../config/settings.ts';
import type { ExitCode } from '../exit/exit.ts';
import { exitCodes } from '../exit/exit.ts';
import type { Terminal } from '../output/terminal/terminal.ts';

/** Surroundings of every command. */
export interface Cli {
  readonly terminal: Terminal;
  /** Read when a command needs it, so that `--help` works whatever the environment holds. */
  config(): Promise<Config>;
  /** True with `--verbose`: details are reported, too. */
  verbose?: boolean;
  /** Exit code of the process. */
  exit: ExitCode;
}

/** A command line that speaks through this terminal. */
export function createCli(terminal: Terminal): Cli {
  let config: Promise<Config> | undefined;
  return {
    terminal,
    config: () => (config ??= import('../config/config.ts').then(({ readConfig }) => readConfig())),
    exit: exitCodes.completed,
  };
}

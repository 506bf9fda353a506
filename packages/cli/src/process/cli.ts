import type { Config } from '../config/settings.ts';
import type { ExitCode } from '../exit/exit.ts';
import { exitCodes } from '../exit/exit.ts';
import type { Terminal } from '../output/terminal/terminal.ts';

/** Environment of every command. */
export interface Cli {
  readonly terminal: Terminal;
  /** Settings; parsed when a command needs them, so that `--help` works with an invalid environment. */
  config(): Promise<Config>;
  /** True with `--verbose`: details are reported, too. */
  verbose?: boolean;
  /** Exit code of the process. */
  exit: ExitCode;
}

/** Creates the environment of commands with this terminal. */
export function createCli(terminal: Terminal): Cli {
  let config: Promise<Config> | undefined;
  return {
    terminal,
    config: () => (config ??= import('../config/config.ts').then(({ readConfig }) => readConfig())),
    exit: exitCodes.completed,
  };
}

export { parseConfig } from './config/parse-config.ts';
export type { Terminal } from './output/terminal/terminal.ts';
export type { Cli } from './process/cli.ts';
export { createCli } from './process/cli.ts';
export { reportFailure } from './process/failure.ts';
export { createProgram } from './program.ts';

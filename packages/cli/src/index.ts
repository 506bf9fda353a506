export type { Cli } from './cli.ts';
export { createCli } from './cli.ts';
export { parseConfig } from './config.ts';
export { reportFailure } from './failure.ts';
export { createProgram } from './program.ts';
export type { Terminal } from './terminal.ts';

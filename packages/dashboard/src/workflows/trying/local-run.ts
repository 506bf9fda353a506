import type { CommandLine } from '../../kit/commands/command-line.ts';
import type { InputOf } from '../../kit/commands/copy-of.ts';
import { copyOf } from '../../kit/commands/copy-of.ts';

/** Returns the command that executes a workflow in the memory of one process, without Redis. */
export function localRun(input: InputOf<'runs.start'>): CommandLine {
  const { commands, ...copied } = copyOf('runs.start', input);
  return { ...copied, commands: commands.map(([verb = '', ...args]) => [verb, '--local', ...args]) };
}

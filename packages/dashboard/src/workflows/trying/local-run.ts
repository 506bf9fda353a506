import { copyOf } from '../../kit/commands/copy-of.ts';
import type { InputOf } from '../../kit/commands/definition.ts';
import type { Equivalent } from '../../kit/commands/equivalent.ts';

/** Returns the command that executes a workflow in the memory of one process, without Redis. */
export function localRun(input: InputOf<'runs.start'>): Equivalent {
  const { command = [], ...equivalent } = copyOf('runs.start', input);
  const [verb = '', ...words] = command.flat();
  return { ...equivalent, command: [verb, '--local', ...words] };
}

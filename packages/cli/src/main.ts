import { flushTerminal, processTerminal } from './output/terminal/terminal.ts';
import { createCli } from './process/cli.ts';
import { reportFailure } from './process/failure.ts';
import { createProgram } from './program.ts';

// `millrace journal RUN | head` closes the pipe, which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

const cli = createCli(processTerminal());
// Node would print uncaught errors, such as a message of a server, without escaping control characters.
process.once('uncaughtException', (error) => {
  void reportFailure(cli.terminal, error)
    .then((exit) => {
      cli.exit = exit;
      return flushTerminal();
    })
    .finally(() => process.exit(cli.exit));
});
try {
  const program = await createProgram(cli, process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  cli.exit = await reportFailure(cli.terminal, error, process.argv.includes('--json'));
}
// The process ends even with open resources, but not before a pipe has received all output.
await flushTerminal();
process.exit(cli.exit);

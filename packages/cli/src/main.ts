import { createCli } from './cli.ts';
import { reportFailure } from './failure.ts';
import { createProgram } from './program.ts';
import { processTerminal } from './terminal.ts';

// `millrace journal RUN | head` closes the pipe; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

const cli = createCli(processTerminal());
try {
  await createProgram(cli).parseAsync();
} catch (error) {
  cli.exit = await reportFailure(cli.terminal, error, process.argv.includes('--json'));
}
// The process ends although something may still be open, but not before a pipe has taken all that was said.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((taken) => stream.write('', taken))));
process.exit(cli.exit);

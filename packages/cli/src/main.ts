import { programName } from './output/terminal/program-name.ts';
import { flushTerminal, isTerminalGone, processTerminal } from './output/terminal/terminal.ts';
import { createCli } from './process/cli.ts';
import { reportFailure } from './process/failure.ts';
import { createProgram } from './program.ts';

// `millrace journal RUN | head` closes the pipe, which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  if (!isTerminalGone()) throw error;
});
// A command ends in order although nobody sees its progress: a terminal that is closed sends SIGHUP, and Ctrl-C also ends
// the reader of a pipe.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && !isTerminalGone()) throw error;
});

// biome-ignore lint/style/noProcessEnv: what is said about wrong settings needs the name, too
const cli = createCli(processTerminal(programName(process.env)));
// Node would print uncaught errors, such as a message of a server, without escaping control characters.
process.once('uncaughtException', (error) => {
  void reportFailure(cli.terminal, error)
    .then((exit) => {
      cli.exit = exit;
      return flushTerminal();
    })
    .finally(end);
});
try {
  const program = createProgram(cli, process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  cli.exit = await reportFailure(cli.terminal, error, process.argv.includes('--json'));
}
// The process ends even with open resources, but not before a pipe has received all output.
await flushTerminal();
end();

function end(): never {
  // Node.js crashes at its end when it cannot restore the modes of its terminal.
  if (isTerminalGone()) process.removeAllListeners('SIGHUP').kill(process.pid, 'SIGHUP');
  process.exit(cli.exit);
}

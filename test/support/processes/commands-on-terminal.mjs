// Carries out the command lines of a JSON file one after the other, on the terminal of this process.
import { readFileSync } from 'node:fs';
import { createCli, createProgram, reportFailure } from '../../../packages/cli/dist/index.js';
import { processTerminal } from '../../../packages/cli/dist/output/terminal/terminal.js';

const lines = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const args of lines) {
  const cli = createCli(processTerminal());
  cli.terminal.say(`=== ${JSON.stringify(args)}`);
  try {
    const program = createProgram(cli, args);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    await reportFailure(cli.terminal, error, args.includes('--json'));
  }
}
process.exit();

import type { Command } from 'commander';
import { withMachine } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace blobs`: copies the contents of messages and files between stores. */
export function addBlobs(program: Command, cli: Cli): void {
  const blobs = program
    .command('blobs')
    .description('move the contents of long messages and files to another store')
    .addHelpText('after', '\nExample:\n  millrace blobs copy --from dir:/srv/blobs');
  blobs
    .command('copy')
    .description('copy all contents of another store to the one that MILLRACE_BLOBS names')
    .addHelpText('after', '\nExample:\n  MILLRACE_BLOBS=s3://bucket/prefix millrace blobs copy --from dir:/srv/blobs')
    .requiredOption('--from <store>', 'store as in MILLRACE_BLOBS: redis, dir:/path or s3://bucket/prefix')
    .option('--json', 'print {copied, present, damaged}')
    .action(({ from, json }: { from: string; json?: boolean }) => copy(cli, from, json));
}

/** Interval of the lines about the progress, in milliseconds. */
const reportEveryMs = 2000;

async function copy(cli: Cli, from: string, json: boolean | undefined): Promise<void> {
  const { parseConfig } = await import('../../config/parse-config.ts');
  const { environment } = await cli.config();
  const { blobs: source } = parseConfig({ ...environment, MILLRACE_BLOBS: from });
  if (source === undefined)
    throw new CommandError(exitCodes.invalid, '--from must name a store, such as dir:/srv/blobs.');
  await withMachine(cli, { command: 'blobs copy' }, async ({ machine }) => {
    const storage = machine.runtime.shared?.storage;
    await storage?.check();
    let reportedAt = performance.now();
    const result = await storage?.copyFrom(source, ({ copied, present }) => {
      if (performance.now() - reportedAt < reportEveryMs) return;
      reportedAt = performance.now();
      cli.terminal.say(`${copied} copied, ${present} were there`, 'dim');
    });
    if (result === undefined) return;
    if (json) cli.terminal.data(JSON.stringify(result));
    else cli.terminal.say(`${result.copied} contents are copied; ${result.present} were there before.`);
    if (result.damaged === 0) return;
    cli.terminal.say(`! ${result.damaged} contents are damaged in ${from}, and were not copied.`, 'yellow');
    cli.exit = exitCodes.failed;
  });
}

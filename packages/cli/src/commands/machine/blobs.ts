import type { Command } from 'commander';
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
    .action(async ({ from, json }: { from: string; json?: boolean }) => {
      const { copyContents } = await import('../../resources/copy-contents.ts');
      await copyContents(cli, { from, json: json === true });
    });
}

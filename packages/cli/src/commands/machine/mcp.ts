import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

/** `millrace mcp`: published workflows as tools of the Model Context Protocol. */
export function addMcp(program: Command, cli: Cli): void {
  program
    .command('mcp')
    .description('offer published workflows as tools to an MCP client, over standard input and output')
    .option('--tenant <name>', 'whose workflows and runs (default: default; over MILLRACE_URL that of the key)')
    .option('--work', 'work on runs in this process as well')
    .option('--json', 'nothing to print: what is spoken is JSON in any case')
    .action(async (flags: { tenant?: string; work?: boolean }) => {
      const { speakMcp } = await import('../../serve/speak-mcp.ts');
      await speakMcp(cli, flags);
    });
}

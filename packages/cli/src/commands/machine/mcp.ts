import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

/** `millrace mcp`: serves published workflows as tools of the Model Context Protocol. */
export function addMcp(program: Command, cli: Cli): void {
  program
    .command('mcp')
    .description('offer published workflows as tools to an MCP client, over standard input and output')
    .addHelpText('after', '\nExample:\n  millrace mcp --work')
    .option(
      '--tenant <name>',
      'tenant of the workflows and runs (default: default; over MILLRACE_URL the tenant of the key)',
    )
    .option('--work', 'execute runs in this process as well')
    .option('--json', 'no effect: the output is always JSON')
    .action(async (flags: { tenant?: string; work?: boolean }) => {
      const { serveMcpStdio } = await import('../../serve/serve-mcp-stdio.ts');
      await serveMcpStdio(cli, flags);
    });
}

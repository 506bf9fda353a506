import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

/** `millrace schema`: the JSON Schema of a workflow file, for editors. */
export function addSchema(program: Command, cli: Cli): void {
  program
    .command('schema')
    .description('print the JSON Schema of workflow files')
    .option('--json', 'the output is JSON in any case')
    .action(async () => {
      const { schemaText } = await import('../../workflow/schema-text.ts');
      cli.terminal.data(await schemaText());
    });
}

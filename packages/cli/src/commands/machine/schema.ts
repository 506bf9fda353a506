import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { pathUnwritable } from '../../exit/file-refusals.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace schema`: prints the JSON Schema of workflow files, or of files of tests, for editors. */
export function addSchema(program: Command, cli: Cli): void {
  program
    .command('schema')
    .description('print the JSON Schema of workflow files, or of files of tests')
    .option('--out <file>', 'write it into this file, for editors')
    .option('--test', 'print the schema of *.test.yaml files')
    .option('--json', 'no effect: the output is always JSON')
    .addHelpText(
      'after',
      '\nExample:\n  millrace schema --out workflow.schema.json\n\nA first line `# yaml-language-server: $schema=workflow.schema.json` in a workflow leads editors there.',
    )
    .action(async ({ out, test }: { out?: string; test?: true }) => {
      const text = test === true ? await testSchemaText() : await schemaText();
      if (out === undefined) return cli.terminal.data(text);
      write(out, `${text}\n`);
      cli.terminal.say(`Written to ${out}.`);
    });
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw pathUnwritable(`The schema cannot be written: ${reason}. Choose another file.`);
  }
}

/** Returns the JSON Schema of workflow files, as text for a file or for stdout. */
export async function schemaText(): Promise<string> {
  const [{ createVocabulary }, { workflowJsonSchema }] = await Promise.all([
    import('@millrace/catalog'),
    import('@millrace/core'),
  ]);
  return JSON.stringify(workflowJsonSchema(createVocabulary()), null, 2);
}

async function testSchemaText(): Promise<string> {
  const { testJsonSchema } = await import('@millrace/testing');
  return JSON.stringify(testJsonSchema(), null, 2);
}

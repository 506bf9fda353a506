import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { parseCount } from '../../options/count-argument.ts';
import type { Cli } from '../../process/cli.ts';
import type { RunTemplateFlags } from '../../requests/run-template.ts';
import { addRunTemplateOptions } from '../../requests/run-template.ts';

interface StartFlags extends RunTemplateFlags {
  readonly id?: string;
  readonly parallel?: number;
  readonly column?: Readonly<Record<string, string>>;
  readonly watch?: boolean;
  readonly json?: boolean;
}

interface RowsFlags {
  readonly status?: (typeof statuses)[number];
  readonly limit: number;
  readonly json?: boolean;
}

const statuses = ['invalid', 'waiting', 'running', 'completed', 'failed', 'cancelled', 'terminated'] as const;

/** Option with the meaning of a column, which may be repeated. */
const columnOption = [
  '--column <name=meaning>',
  'a column of the table and its meaning: id, input, vars, attachments or vars.NAME; can be repeated, other columns are ignored',
  collectColumn,
  undefined as Readonly<Record<string, string>> | undefined,
] as const;

function collectColumn(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new InvalidArgumentError('Give NAME=MEANING, as in "Customer=input".');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** `millrace batch`: starts and manages batches, which run a workflow for each row of a table. */
export function addBatch(program: Command, cli: Cli): void {
  const batch = program
    .command('batch')
    .description('start and manage runs for the rows of a table')
    .addHelpText('after', '\nExample:\n  millrace batch start poem people.csv --parallel 5 --watch');
  addRunTemplateOptions(batch.command('start'))
    .description('start a run of a workflow for each row of a table')
    .addHelpText('after', '\nExample:\n  millrace batch start poem people.csv --parallel 5 --watch')
    .argument('<file|name>', 'the workflow: a file, or a published one as NAME or NAME@HASH')
    .argument('<table>', 'a .csv or .xlsx file with a header (id, input, vars, attachments), or a .json list of rows')
    .option('--id <id>', 'id of the batch; creating a batch with the same id again has no effect')
    .option('--parallel <n>', 'maximum number of rows that execute at a time (default: 10)', parseCount)
    .option(...columnOption)
    .option('--watch', 'follow the batch with a progress bar until all rows have ended')
    .option('--json', 'print {id, total, rows, …}')
    .action(async (named: string, table: string, flags: StartFlags) => {
      const { startBatch } = await import('../../resources/start-batch.ts');
      await startBatch(cli, { named, table, ...flags });
    });
  batch
    .command('preview')
    .description('read a table as a batch would, print its first rows and the invalid ones, and start nothing')
    .addHelpText(
      'after',
      '\nExample:\n  millrace batch preview people.csv --column Customer=input --column City=vars.CITY',
    )
    .argument('<table>', 'a .csv or .xlsx file with a header')
    .option(...columnOption)
    .option('--json', 'print {columns, total, wrong, rows, problems}')
    .action(async (table: string, flags: Pick<StartFlags, 'column' | 'json'>) => {
      const { previewTable } = await import('../../resources/start-batch.ts');
      await previewTable(cli, { table, ...flags });
    });
  addLooks(batch, cli);
  addOrders(batch, cli);
}

function addLooks(batch: Command, cli: Cli): void {
  batch
    .command('list')
    .description('list batches, newest first')
    .addHelpText('after', '\nExample:\n  millrace batch list')
    .option('--limit <n>', 'maximum number of entries', parseCount, 20)
    .option('--json', 'print a JSON array')
    .action(async (flags: { limit: number; json?: boolean }) => {
      const { listBatches } = await import('../../resources/batches.ts');
      await listBatches(cli, flags);
    });
  batch
    .command('rows')
    .description('list the rows of a batch, in their order')
    .addHelpText('after', '\nExample:\n  millrace batch rows letters --status failed')
    .argument('<id>', 'the batch')
    .addOption(new Option('--status <status>', 'entries with this status').choices([...statuses]))
    .option('--limit <n>', 'maximum number of entries', parseCount, 1000)
    .option('--json', 'print a JSON array')
    .action(async (id: string, flags: RowsFlags) => {
      const { listRows } = await import('../../resources/batches.ts');
      await listRows(cli, { id, ...flags });
    });
}

function addResults(batch: Command, cli: Cli): void {
  batch
    .command('results')
    .description('print the inputs and outputs of the rows of a batch as CSV')
    .addHelpText('after', '\nExample:\n  millrace batch results letters > letters.csv')
    .argument('<id>', 'the batch')
    .addOption(new Option('--status <status>', 'entries with this status').choices([...statuses]))
    .option('--limit <n>', 'maximum number of entries', parseCount, 50_000)
    .option('--json', 'print a JSON array')
    .action(async (id: string, flags: RowsFlags) => {
      const { printResults } = await import('../../resources/batch-results.ts');
      await printResults(cli, { id, ...flags });
    });
}

const orders = [
  { name: 'get', order: 'get', description: 'print how many rows of a batch have each status' },
  { name: 'retry', order: 'retryFailed', description: 'retry the rows that have failed or were terminated' },
  { name: 'cancel', order: 'cancel', description: 'start no more rows of a batch, and cancel its executing runs' },
] as const;

function addOrders(batch: Command, cli: Cli): void {
  addResults(batch, cli);
  for (const { name, order, description } of orders) {
    const command = batch
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  millrace batch ${name} letters`)
      .argument('<id>', 'the batch')
      .option('--watch', 'follow the batch with a progress bar until all rows have ended')
      .option('--json', 'print {id, status, rows, …}')
      .action(async (id: string, { json, watch, row }: { json?: boolean; watch?: boolean; row?: number }) => {
        const { orderBatch } = await import('../../resources/batches.ts');
        const which = row === undefined ? {} : { row };
        await orderBatch(cli, { id, order, json: json === true, watch: watch === true, ...which });
      });
    if (name === 'retry') command.option('--row <n>', 'only this row', parseCount);
  }
  batch
    .command('rm')
    .description('remove a finished batch; its runs remain')
    .addHelpText('after', '\nExample:\n  millrace batch rm letters')
    .argument('<id>', 'the batch')
    .option('--json', 'print {id, status, …}')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { removeBatch } = await import('../../resources/batches.ts');
      await removeBatch(cli, id, json === true);
    });
}

import type { Command } from 'commander';
import { Option } from 'commander';
import { parseCount } from '../../options/count-argument.ts';
import type { Cli } from '../../process/cli.ts';
import type { RunTemplateFlags } from '../../requests/run-template.ts';
import { addRunTemplateOptions } from '../../requests/run-template.ts';

interface StartFlags extends RunTemplateFlags {
  readonly id?: string;
  readonly parallel?: number;
  readonly watch?: boolean;
  readonly json?: boolean;
}

interface RowsFlags {
  readonly status?: (typeof statuses)[number];
  readonly limit: number;
  readonly json?: boolean;
}

const statuses = ['invalid', 'waiting', 'running', 'completed', 'failed', 'cancelled', 'terminated'] as const;

/** `millrace batch`: a run for each row of a table. */
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
    .option('--watch', 'follow the batch with a progress bar until all rows have ended')
    .option('--json', 'print {id, total, rows, …}')
    .action(async (named: string, table: string, flags: StartFlags) => {
      const { startBatch } = await import('../../resources/batches.ts');
      await startBatch(cli, { named, table, ...flags });
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

const orders = [
  { name: 'get', order: 'get', description: 'print how many rows of a batch have each status' },
  { name: 'retry', order: 'retryFailed', description: 'retry the rows that have failed or were terminated' },
  { name: 'cancel', order: 'cancel', description: 'start no more rows of a batch, and cancel its executing runs' },
] as const;

function addOrders(batch: Command, cli: Cli): void {
  for (const { name, order, description } of orders) {
    batch
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  millrace batch ${name} letters`)
      .argument('<id>', 'the batch')
      .option('--watch', 'follow the batch with a progress bar until all rows have ended')
      .option('--json', 'print {id, status, rows, …}')
      .action(async (id: string, { json, watch }: { json?: boolean; watch?: boolean }) => {
        const { orderBatch } = await import('../../resources/batches.ts');
        await orderBatch(cli, { id, order, json: json === true, watch: watch === true });
      });
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
